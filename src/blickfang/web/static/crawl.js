// The dashboard: whatever changed comes from the server, and takes the place of what was there.
import "./frame.js";

const parts = ["state", "figures", "curves", "failures", "hosts", "images"];
const stream = new EventSource("/crawl/live");
for (const name of parts) {
  stream.addEventListener(name, (event) => {
    const place = document.getElementById(`part-${name}`);
    const inside = place.contains(document.activeElement) ? document.activeElement : null;
    const scrolled = place.querySelector(".tall")?.scrollTop ?? 0;
    place.innerHTML = JSON.parse(event.data); // made by our templates, every text escaped
    const table = place.querySelector(".tall");
    if (table) table.scrollTop = scrolled;
    if (inside?.value) place.querySelector(`[value="${CSS.escape(inside.value)}"]`)?.focus();
    else if (inside) place.querySelector("[tabindex]")?.focus();
  });
}
addEventListener("pagehide", () => stream.close());
