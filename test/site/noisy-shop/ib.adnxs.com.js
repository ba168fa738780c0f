// Fills the ad slots with frames of its own host.
const base = document.currentScript.src;
for (const slot of document.querySelectorAll('[data-ad]')) {
  const [width, height] = slot.dataset.ad.split('x');
  const frame = document.createElement('iframe');
  Object.assign(frame, { width, height, src: new URL(`ad.html?${slot.dataset.ad}`, base).href });
  slot.append(frame);
}
