/**
 * Use without a network: registers the service worker and offers its updates.
 * @module
 */

import { toast } from "./messages.js";

/** Registers the service worker, where the browser allows one. */
export async function keepOffline() {
  const workers = navigator.serviceWorker;
  if (!workers || !isSecureContext) return;
  // The first worker brings the version that is shown. A later one brings another, which every tab
  // has to load: its lazy modules come from there.
  let hasWorker = Boolean(workers.controller);
  workers.addEventListener("controllerchange", () => {
    if (hasWorker) location.reload();
    hasWorker = true;
  });
  const offer = (waiting) => {
    const run = () => waiting.postMessage("update");
    toast("A new version of this page is ready.", { action: { label: "Reload to update", run } });
  };
  try {
    const registration = await workers.register(new URL("sw.js", import.meta.url));
    if (registration.waiting && workers.controller) offer(registration.waiting);
    registration.addEventListener("updatefound", () => {
      const found = registration.installing;
      found.addEventListener("statechange", () => {
        if (found.state === "installed" && workers.controller) offer(found);
      });
    });
  } catch {
    // The browser is set to refuse it; the page works with a network.
  }
}
