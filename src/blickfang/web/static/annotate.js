// The page on which people answer. What is answered is written down in the browser first and sent
// from there until the server has it: a slow or lost connection loses nothing. Every answer has a
// name of its own, so that sending it twice is the same as sending it once.

const main = document.getElementById("main");
const link = main.dataset.link;
const plan = JSON.parse(main.dataset.plan);
const shelf = "blickfang-answers-" + link.slice(3, 19);
const find = (id) => document.getElementById(id);

const WANTED = 6; // items at hand, their images loaded
const PATIENCE_MS = 12000;
const SLOWEST_MS = 15000;

let queue = []; // units that wait
let now = null; // the unit that is shown
let chosen = {}; // its answers so far
let began = 0; // when its image was there
let past = []; // what was answered on this page: { client, unit, answers }
let lastKnown = ""; // the last answer that the server knows of
let since = 0; // answers that were sent after the server counted
let counts = { mine: 0, left: 0, state: "open" };
let outbox = recall();
let sending = false;
let asking = false;
let ended = false;
let pause = 1000;
const loaded = new Map(); // images by address

// --- what is kept in the browser -----------------------------------------------------------

function recall() {
  try {
    const kept = JSON.parse(localStorage.getItem(shelf) || "[]");
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}

function remember() {
  try {
    localStorage.setItem(shelf, JSON.stringify(outbox));
  } catch {
    line("This browser keeps nothing: do not close the page before all is sent.");
  }
}

function makeName() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Date.now().toString(36) + "-" + Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
}

// --- talking to the server ----------------------------------------------------------------

async function post(path, value) {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), PATIENCE_MS);
  try {
    return await fetch(link + path, {
      method: "POST",
      headers: { "content-type": "application/json", "x-csrf-token": csrf() },
      body: JSON.stringify(value),
      signal: stop.signal,
    });
  } finally {
    clearTimeout(timer);
  }
}

/** The server answered, but could not do it: its disk may be full. */
class Refusal extends Error {}

const csrf = () => document.querySelector("meta[name=csrf]").content;

/** The server started anew: ask for a new token of forms. */
async function renew() {
  const answer = await fetch(link + "/again");
  if (answer.status === 410) return end("closed-link");
  if (answer.ok) document.querySelector("meta[name=csrf]").content = (await answer.json()).csrf;
}

/** Send what waits, oldest first, until nothing waits any more. */
async function send() {
  if (sending || ended) return;
  sending = true;
  let renewed = false;
  let most = 50;
  try {
    while (outbox.length) {
      const some = outbox.slice(0, most);
      const answer = await post("/answers", some.map((entry) => entry.sent));
      if (answer.status === 410) return end("closed-link");
      if (answer.status === 403 && !renewed) {
        renewed = true;
        await renew();
        if (ended) return;
        continue;
      }
      if (answer.status === 400) {
        // One of them can never be taken (kept by an older page, say): it must not hold up the rest.
        if (some.length > 1) {
          most = 1;
        } else {
          outbox = outbox.slice(1);
          remember();
          tell("Not taken: " + (await answer.json()).error);
        }
        continue;
      }
      if (!answer.ok) throw new Refusal();
      const outcomes = await answer.json();
      const done = new Set(outcomes.map((outcome) => outcome.client));
      outbox = outbox.filter((entry) => !done.has(entry.sent.client));
      remember();
      some.forEach(count);
      outcomes.filter((outcome) => outcome.what === "refused").forEach((o) => tell("Not taken: " + o.why));
      pause = 1000;
      line("");
    }
  } catch (error) {
    tryLater(error);
    return;
  } finally {
    sending = false;
    showCounts();
  }
}

/** Say what is wrong, and try again after a while, each time a longer one. */
function tryLater(error) {
  const why = error instanceof Refusal ? "the server is in trouble" : "no connection";
  line(outbox.length ? `${why} · ${outbox.length} kept here` : why);
  setTimeout(work, pause);
  pause = Math.min(2 * pause, SLOWEST_MS);
}

/** Count what the server knows now, until it says so itself. */
function count({ sent }) {
  since += sent.undo ? -1 : 1;
  lastKnown = sent.undo ? "" : sent.client;
}

/** Fetch more items when few are left. */
async function ask() {
  if (asking || ended || outbox.length || queue.length >= WANTED / 2) return;
  asking = true;
  try {
    const answer = await post("/next", { count: WANTED });
    if (answer.status === 410) return end("closed-link");
    if (answer.status === 403) {
      await renew();
      throw new Error("try again");
    }
    if (!answer.ok) throw new Refusal();
    const batch = await answer.json();
    const here = new Set([now?.id, ...queue.map((unit) => unit.id), ...outbox.map((e) => e.sent.unit)]);
    queue.push(...batch.units.filter((unit) => !here.has(unit.id)));
    counts = batch;
    since = 0;
    lastKnown = batch.last;
    queue.forEach((unit) => preload(unit.image));
    pause = 1000;
    line("");
  } catch (error) {
    tryLater(error);
  } finally {
    asking = false;
  }
}

async function work() {
  await send();
  await ask();
  if (!now && !ended) queue.length ? next() : rest();
  showCounts();
}

function preload(address) {
  if (loaded.has(address)) return;
  const image = new Image();
  image.src = address;
  loaded.set(address, image);
  if (loaded.size > 40) loaded.delete(loaded.keys().next().value);
}

// --- showing ------------------------------------------------------------------------------

const questionsOf = (unit) => plan.questions.filter((q) => !plan.phases || q.phase === unit.phase);

/** The places to be answered: a question, or a question for each text. */
function slotsOf(unit) {
  return questionsOf(unit).flatMap((question) =>
    question.each
      ? unit.texts.map((_, number) => ({ name: `${question.name}@${number}`, question, number }))
      : [{ name: question.name, question, number: -1 }],
  );
}

function show(unit, before = {}) {
  now = unit;
  chosen = {};
  began = 0;
  find("ending").hidden = true;
  find("item").hidden = false;
  const many = slotsOf(unit).some((slot) => slot.number >= 0);
  find("item").classList.toggle("many", many);
  const image = find("image");
  const frame = image.parentElement;
  frame.classList.remove("lost");
  image.onload = () => (began = began || performance.now());
  image.onerror = () => {
    frame.classList.add("lost");
    began = began || performance.now();
  };
  image.src = unit.image;
  find("text").textContent = many ? "" : unit.text;
  find("source").textContent = unit.title ? "Page: " + unit.title : "";
  drawTexts(unit, many, before);
  drawQuestions(unit, before);
  find("phase").hidden = !unit.test && !plan.phases;
  find("phase").textContent = unit.test ? "entry test" : "round " + unit.phase;
  find("send").hidden = plan.auto;
  mark();
  showCounts();
  scrollTo(0, 0);
  tell(`Next image. ${many ? unit.texts.length + " texts." : unit.text.slice(0, 200)}`);
}

function makeAnswers(slot, before) {
  const group = document.createElement("div");
  group.className = "answers";
  for (const category of slot.question.categories) {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.slot = slot.name;
    button.dataset.name = category.name;
    button.title = category.meaning;
    button.setAttribute("aria-pressed", "false");
    button.setAttribute("aria-keyshortcuts", category.key);
    if (before[slot.name] === category.name) button.classList.add("was");
    const key = document.createElement("kbd");
    key.textContent = category.shown;
    key.setAttribute("aria-hidden", "true");
    button.append(key, category.label);
    button.addEventListener("click", () => answer(slot.name, category.name));
    group.append(button);
  }
  return group;
}

function drawTexts(unit, many, before) {
  const list = find("texts");
  list.hidden = !many;
  list.replaceChildren();
  find("asking").hidden = !many;
  find("asking").textContent = questionsOf(unit).find((q) => q.each)?.text ?? "";
  for (const slot of slotsOf(unit).filter((s) => s.number >= 0)) {
    const entry = document.createElement("li");
    entry.dataset.slot = slot.name;
    const group = document.createElement("fieldset");
    const legend = document.createElement("legend");
    legend.className = "small soft";
    const asked = document.createElement("span");
    asked.className = "visually-hidden";
    asked.textContent = slot.question.text;
    legend.append(`Text ${slot.number + 1} `, asked);
    const words = document.createElement("p");
    words.className = "words";
    words.textContent = unit.texts[slot.number];
    group.append(legend, words, makeAnswers(slot, before));
    entry.append(group);
    list.append(entry);
  }
}

function drawQuestions(unit, before) {
  const place = find("questions");
  place.replaceChildren();
  for (const slot of slotsOf(unit).filter((s) => s.number < 0)) {
    const group = document.createElement("fieldset");
    group.dataset.slot = slot.name;
    const legend = document.createElement("legend");
    legend.textContent = slot.question.text;
    group.append(legend, makeAnswers(slot, before));
    place.append(group);
  }
}

function mark() {
  const open = openSlots();
  document.querySelectorAll("[data-name]").forEach((button) => {
    button.setAttribute("aria-pressed", String(chosen[button.dataset.slot] === button.dataset.name));
  });
  document.querySelectorAll(".questions fieldset").forEach((group) => {
    group.classList.toggle("answered", group.dataset.slot in chosen);
  });
  document.querySelectorAll(".texts li").forEach((entry) => {
    entry.classList.toggle("now", entry.dataset.slot === open.find((s) => s.number >= 0)?.name);
  });
  find("send").disabled = open.length > 0;
  find("undo").disabled = !past.length && !lastKnown;
}

const openSlots = () => (now ? slotsOf(now).filter((slot) => !(slot.name in chosen)) : []);

function showCounts() {
  const waiting = outbox.filter((entry) => !entry.sent.undo).length;
  const undone = outbox.length - waiting;
  const mine = counts.mine + waiting - undone + since;
  const left = Math.max(0, counts.left - waiting + undone - since);
  find("count").textContent = `${mine} done · ${left} to go`;
  find("progress").max = Math.max(1, mine + left);
  find("progress").value = mine;
}

function line(sentence) {
  const place = find("line");
  if (place.textContent !== sentence) place.textContent = sentence;
  place.classList.toggle("off", sentence !== "");
}

function tell(sentence) {
  find("told").textContent = sentence;
}

const ENDINGS = {
  done: ["All is answered. Thank you!", "There is nothing left for you here. You can close this page."],
  waiting: ["Almost done.", "Others work on what is left. If somebody leaves, it comes to you: keep this page open, or come back later."],
  second: ["Round 1 is done for you. Thank you!", "A second round follows, about the images that are found on topic. It opens as the others answer: keep this page open, or come back later."],
  failed: ["Thank you for trying.", "The entry test did not go well enough to go on. Ask whoever sent you the link."],
  closed: ["This task is closed.", "It takes no more answers. Thank you!"],
  "closed-link": ["This link is of no use any more.", "Ask whoever sent it for a new one."],
};

function rest() {
  const state = counts.state in ENDINGS ? counts.state : "";
  if (!state || outbox.length) return;
  const place = find("ending");
  [place.querySelector("h2").textContent, place.querySelector("p").textContent] = ENDINGS[state];
  place.hidden = false;
  find("item").hidden = true;
  if (state === "waiting" || state === "second") setTimeout(work, 5000);
}

function end(state) {
  ended = true;
  now = null;
  counts.state = state;
  outbox = state === "closed-link" ? [] : outbox;
  rest();
}

// --- answering ----------------------------------------------------------------------------

function next() {
  const unit = queue.shift();
  if (unit) show(unit);
  else {
    now = null;
    find("item").hidden = true;
    work();
  }
}

function answer(slot, name) {
  if (!now) return;
  chosen[slot] = name;
  mark();
  if (plan.auto && !openSlots().length) submit();
}

function submit() {
  if (now && !openSlots().length) put({ answers: chosen });
}

/** Write an answer down, show the next item at once, and send. */
function put(values) {
  const client = makeName();
  const seconds = began ? Math.round(performance.now() - began) / 1000 : null;
  outbox.push({ sent: { client, unit: now.id, seconds, ...values } });
  past.push({ client, unit: now, answers: values.answers || {} });
  remember();
  next();
  work();
}

function undo() {
  const last = past.pop();
  const target = last ? last.client : lastKnown;
  if (!target || find("undo").disabled) return;
  outbox.push({ sent: { client: makeName(), undo: target } });
  remember();
  if (last) {
    if (now) queue.unshift(now);
    show(last.unit, last.answers);
    work();
  } else {
    // It was answered before this page was loaded: the server gives it back first.
    lastKnown = "";
    queue = [];
    now = null;
    find("item").hidden = true;
    work();
  }
  tell("The last answer was taken back.");
}

// --- skipping -----------------------------------------------------------------------------

const dialog = find("skipping");

plan.skips.forEach((reason, number) => {
  const button = document.createElement("button");
  button.type = "button";
  const key = document.createElement("kbd");
  key.textContent = String(number + 1);
  key.setAttribute("aria-hidden", "true");
  button.append(key, reason);
  button.addEventListener("click", () => skip(reason));
  find("reasons").append(button);
});

function skip(reason) {
  dialog.close();
  if (now && reason.trim()) put({ skip: reason.trim() });
}

function openSkip() {
  if (!now) return;
  find("reason").value = "";
  find("skip-now").disabled = true;
  dialog.showModal();
}

find("reason").addEventListener("input", (event) => {
  find("skip-now").disabled = !event.target.value.trim();
});
find("skip-now").addEventListener("click", () => skip(find("reason").value));
find("stay").addEventListener("click", () => dialog.close());
dialog.querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault();
  skip(find("reason").value);
});
find("undo").addEventListener("click", undo);
find("skip").addEventListener("click", openSkip);
find("send").addEventListener("click", submit);

// --- the keyboard -------------------------------------------------------------------------

function byKey(key) {
  const slots = now ? slotsOf(now) : [];
  const single = slots.find((s) => s.number < 0 && s.question.categories.some((c) => c.key === key));
  const open = openSlots().find((s) => s.number >= 0 && s.question.categories.some((c) => c.key === key));
  const slot = single || open;
  const category = slot?.question.categories.find((c) => c.key === key);
  if (category) answer(slot.name, category.name);
  return Boolean(category);
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (dialog.open) {
    const reason = plan.skips[Number(event.key) - 1];
    if (reason && event.target.tagName !== "INPUT") {
      event.preventDefault();
      skip(reason);
    }
    return;
  }
  if (event.repeat) return; // a key that is held down is one answer
  const acts = { u: undo, Backspace: undo, s: openSkip, h: openHelp, "?": openHelp };
  if (byKey(event.key)) event.preventDefault();
  else if (event.key in acts) {
    event.preventDefault();
    acts[event.key]();
  } else if (event.key === "Enter" && !plan.auto && event.target.tagName !== "BUTTON") submit();
});

function openHelp() {
  location.href = link + "/help";
}

// --- coming and going ---------------------------------------------------------------------

addEventListener("online", work);
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
addEventListener("pagehide", () => {
  const form = new FormData();
  form.append("csrf", csrf());
  form.append("keep", JSON.stringify(outbox.map((entry) => entry.sent.unit).filter(Boolean)));
  navigator.sendBeacon(link + "/leave", form);
});

work();
