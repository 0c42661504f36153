// The API page follows the system's theme: its own sheet asks for a class.

const dark = matchMedia("(prefers-color-scheme: dark)");

function follow() {
  document.documentElement.classList.toggle("dark-mode", dark.matches);
}

dark.addEventListener("change", follow);
follow();
