// Runs before anything is drawn, as a classic script: modules do not load from file://.
// It sets the stored theme and motion before the first frame, and explains file://.
(() => {
  try {
    const settings = JSON.parse(localStorage.getItem("lab2048.settings") ?? "{}");
    const root = document.documentElement;
    if (settings.theme === "light" || settings.theme === "dark") root.dataset.theme = settings.theme;
    if (settings.motion === "reduced" || settings.motion === "full") root.dataset.motion = settings.motion;
  } catch {
    // The storage is not available, or it holds something else.
  }
  if (location.protocol !== "file:") return;
  addEventListener("DOMContentLoaded", () => {
    document.getElementById("file-notice").hidden = false;
    document.querySelector(".tools").hidden = true;
  });
})();
