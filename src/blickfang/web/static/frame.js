// What every page has: the choice between light and dark, and how our pages change something.

const root = document.documentElement;
const kept = localStorage.getItem("theme");
if (kept === "light" || kept === "dark") root.dataset.theme = kept;

document.getElementById("theme")?.addEventListener("click", () => {
  const dark = root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("theme", root.dataset.theme);
});

/** Send something to the server: a FormData, or a value as JSON. */
export async function post(address, value) {
  const headers = { "x-csrf-token": document.querySelector("meta[name=csrf]").content };
  const isForm = value instanceof FormData;
  if (!isForm) headers["content-type"] = "application/json";
  return fetch(address, { method: "POST", headers, body: isForm ? value : JSON.stringify(value) });
}

/** Say something to everybody, also to who listens to the page. */
export function say(sentence) {
  let place = document.getElementById("said");
  if (!place) {
    place = document.createElement("p");
    place.id = "said";
    place.setAttribute("role", "status");
    document.body.append(place);
  }
  place.textContent = sentence;
  place.classList.add("shown");
  clearTimeout(say.timer);
  say.timer = setTimeout(() => place.classList.remove("shown"), 4000);
}

// Keys, as people know them: / for the search.
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
    const search = document.querySelector("input[type=search]");
    if (search) {
      event.preventDefault();
      search.focus();
      search.select();
    }
  }
});
