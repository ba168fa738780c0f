// Reports the visit to its own host.
navigator.sendBeacon(new URL('collect?v=2&t=pageview', document.currentScript.src));
