// Moves the divider of a pair of pictures: before is left of it, after is right of it.
document.addEventListener('input', (event) => {
  event.target.parentElement.style.setProperty('--at', event.target.value + '%');
});
