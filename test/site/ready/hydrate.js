document.querySelector('button').addEventListener('click', () => undefined);
document.body.style.background = '#00ff00';
