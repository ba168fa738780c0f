// Sorts the cards by price and marks every fifth one: the work of an ordinary page's script.
const list = document.querySelector('section');
const price = (card) => Number(card.querySelector('b').textContent);
const cards = [...list.children].sort((a, b) => price(a) - price(b));
cards.forEach((card, i) => {
  if (i % 5 === 0) card.style.outline = '3px solid #e6a700';
  list.append(card);
});
