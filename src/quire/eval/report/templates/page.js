for (const part of document.querySelectorAll("section.questions")) {
  const [words, status, kind] = part.querySelectorAll(".tools input, .tools select");
  const all = [...part.querySelectorAll("details.question")];
  const told = part.querySelector(".shown");
  const show = () => {
    const wanted = words.value.trim().toLowerCase();
    let shown = 0;
    for (const one of all) {
      const fits = (!status.value || one.dataset.status === status.value) &&
        (!kind.value || one.dataset.kinds.split("\n").includes(kind.value)) &&
        (!wanted || one.firstElementChild.textContent.toLowerCase().includes(wanted));
      one.hidden = !fits;
      shown += fits;
    }
    told.textContent = `${shown} of ${all.length} questions`;
  };
  for (const control of [words, status, kind]) control.addEventListener("input", show);
  show();
}
