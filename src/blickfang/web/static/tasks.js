// A task while people answer: its results are fetched again whenever somebody did something.

import { say } from "/static/frame.js";

const place = document.getElementById("results");
if (place) {
  const stream = new EventSource(place.dataset.live);
  let waiting = false;
  stream.addEventListener("changed", async (event) => {
    if (event.data === place.dataset.version || waiting) return;
    waiting = true;
    try {
      const answer = await fetch(place.dataset.results);
      if (!answer.ok) return;
      const open = [...place.querySelectorAll("details[open]")].map((one) => one.id);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      place.replaceChildren(...page.body.childNodes);
      place.dataset.version = event.data;
      open.forEach((id) => document.getElementById(id)?.setAttribute("open", ""));
    } finally {
      waiting = false;
    }
  });
  addEventListener("pagehide", () => stream.close());
}

/** Put a text where it can be pasted; without TLS, as in a network at home, in the old way. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  say((await copy(button.dataset.copy)) ? "The link is copied." : `Copy it: ${button.dataset.copy}`);
});

document.addEventListener("submit", (event) => {
  const question = event.target.dataset.sure;
  if (question && !confirm(question)) event.preventDefault();
});
