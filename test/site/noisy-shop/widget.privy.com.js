// A newsletter dialog above a dimmed page, which it locks.
const overlay = document.createElement('div');
overlay.style.cssText = 'position: fixed; inset: 0; z-index: 8000; background: #0006; display: grid; place-items: center';
overlay.innerHTML = `
  <div style="width: 400px; margin-bottom: 90px; padding: 26px 30px; border-radius: 12px; background: #fffbe8; text-align: center; font: 15px/1.5 Arial, sans-serif">
    <b style="font-size: 23px">10 % off your first order!</b>
    <p style="margin: 8px 0 14px">Join 50,000 hikers and get our newsletter.</p>
    <div style="display: flex; gap: 8px">
      <span style="flex: 1; padding: 8px; border: 1px solid #bbb; border-radius: 6px; background: #fff; color: #999; text-align: left">Your e-mail address</span>
      <span style="padding: 8px 16px; border-radius: 6px; background: #d7263d; color: #fff">Join</span>
    </div>
  </div>`;
document.documentElement.style.overflow = 'hidden';
document.body.append(overlay);
