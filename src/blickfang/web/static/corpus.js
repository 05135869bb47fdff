// The corpus: a picture can be dropped anywhere, ticked samples are counted, removals asked twice.
import { post, say } from "./frame.js";

const drop = document.getElementById("drop");
const file = document.getElementById("picture");

async function searchBy(picture) {
  const form = new FormData();
  form.append("picture", picture);
  say("Looking at your picture …");
  const answer = await post(document.getElementById("by-picture").action, form);
  if (answer.ok && answer.redirected) {
    location.assign(answer.url);
  } else {
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    say(page.querySelector("h1")?.textContent ?? "That did not work.");
  }
}

if (drop) {
  for (const name of ["dragenter", "dragover"]) {
    document.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.add("over");
    });
  }
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) drop.classList.remove("over");
  });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    const picture = event.dataTransfer?.files[0];
    if (picture) searchBy(picture);
  });
  document.addEventListener("paste", (event) => {
    const picture = [...(event.clipboardData?.files ?? [])][0];
    if (picture) searchBy(picture);
  });
  file.addEventListener("change", () => file.files[0] && searchBy(file.files[0]));
  const all = document.querySelector(".facets-all");
  if (matchMedia("(max-width: 60rem)").matches) all?.removeAttribute("open");
}

// From a sample back to the search it was found by.
const back = document.getElementById("back");
if (drop) sessionStorage.setItem("corpus", location.search);
else if (back) back.href += sessionStorage.getItem("corpus") ?? "";

const grid = document.getElementById("grid");
if (grid) {
  const told = document.getElementById("chosen");
  const count = () => {
    const ticked = grid.querySelectorAll("input:checked").length;
    told.textContent = ticked ? `${ticked} chosen` : "Tick pictures to take them with you.";
    for (const button of document.querySelectorAll("[data-needs-choice]")) button.disabled = !ticked;
    document.getElementById("bar").classList.toggle("active", ticked > 0);
  };
  grid.addEventListener("change", count);
  count();
  // Arrows lead from picture to picture, over all parts of the grid; Space ticks.
  const place = (link) => link.closest(".tile");
  const nearest = (links, at, way) => {
    const from = place(links[at]);
    const beyond = links.filter((link) => way * (place(link).offsetTop - from.offsetTop) > 0);
    const row = (link) => Math.abs(place(link).offsetTop - from.offsetTop);
    const aside = (link) => Math.abs(place(link).offsetLeft - from.offsetLeft);
    return beyond.sort((a, b) => row(a) - row(b) || aside(a) - aside(b))[0];
  };
  grid.addEventListener("keydown", (event) => {
    if (event.target.matches("input")) return;
    const links = [...grid.querySelectorAll("a.look")];
    const at = links.indexOf(event.target.closest(".tile")?.querySelector("a.look"));
    if (at < 0) return;
    const next = {
      ArrowRight: () => links[at + 1],
      ArrowLeft: () => links[at - 1],
      ArrowDown: () => nearest(links, at, 1),
      ArrowUp: () => nearest(links, at, -1),
    }[event.key]?.();
    if (next) {
      event.preventDefault();
      next.focus();
    } else if (event.key === " " && event.target.matches("a.look")) {
      event.preventDefault();
      event.target.closest(".tile").querySelector("input[name=id]").click();
    }
  });
}

for (const button of document.querySelectorAll("[data-sure]")) {
  button.addEventListener("click", (event) => {
    if (!confirm(button.dataset.sure)) event.preventDefault();
  });
}
for (const choice of document.querySelectorAll("[data-submits]")) {
  choice.addEventListener("change", () => choice.form.requestSubmit());
}
for (const button of document.querySelectorAll("[data-only-without-script]")) button.hidden = true;
