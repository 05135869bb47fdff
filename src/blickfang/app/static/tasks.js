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

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  say("The link is copied.");
});

document.addEventListener("submit", (event) => {
  const question = event.target.dataset.sure;
  if (question && !confirm(question)) event.preventDefault();
});
