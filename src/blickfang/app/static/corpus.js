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
  // Arrows lead from picture to picture, Space ticks.
  grid.addEventListener("keydown", (event) => {
    if (event.target.matches("input")) return;
    const links = [...grid.querySelectorAll("a.look")];
    const at = links.indexOf(event.target.closest(".tile")?.querySelector("a.look"));
    const across = links.filter((link) => link.offsetTop === links[0].offsetTop).length;
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: across, ArrowUp: -across }[event.key];
    if (step && links[at + step]) {
      event.preventDefault();
      links[at + step].focus();
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
