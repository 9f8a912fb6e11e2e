// The deal of the day: its seed is the date, so that it is the same for everybody. The day is that of UTC.

function deal() {
  const day = new Date().toISOString().slice(0, 10);
  for (const link of document.querySelectorAll("a.daily")) {
    const address = new URL(link.href);
    address.searchParams.set("seed", day.replaceAll("-", ""));
    link.href = address.href;
    link.title = `of ${day}`;
  }
}

deal();
document.addEventListener("pointerdown", deal); // the page may have been open since yesterday
document.addEventListener("visibilitychange", deal);
