// A chat widget: a greeting and a button in the corner.
const chat = document.createElement('div');
chat.style.cssText = 'position: fixed; right: 20px; bottom: 20px; z-index: 9000; font: 14px/1.4 Arial, sans-serif';
chat.innerHTML = `
  <div style="width: 210px; padding: 12px 14px; border-radius: 14px; background: #fff; box-shadow: 0 3px 16px #0005">
    Hi, I am Lea! Can I help you find a tent?
  </div>
  <div style="width: 56px; height: 56px; margin: 10px 0 0 auto; border-radius: 50%; background: #1972f5; box-shadow: 0 3px 12px #0006;
              display: grid; place-items: center; color: #fff; font-size: 26px">…</div>`;
document.body.append(chat);
