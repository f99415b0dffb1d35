"use strict";
(() => {
  const { table, steps } = JSON.parse(document.getElementById("states").textContent);
  const SEATS = { N: "North", E: "East", S: "South", W: "West" };
  const SYMBOLS = { S: "♠\ufe0e", H: "♥\ufe0e", D: "♦\ufe0e", C: "♣\ufe0e" };
  const RANKS = [..."AKQJT98765432"];
  const at = (id) => document.getElementById(id);
  let now = 0;

  // An element with attributes and children; text is always text, never markup.
  const make = (name, attributes, ...children) => {
    const svg = ["svg", "rect", "text", "line", "title"].includes(name);
    const made = svg ? document.createElementNS(["http:", "", "www.w3.org", "2000", "svg"].join("/"), name)
      : document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) if (value !== "") made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  const rankOf = (card) => (card[1] === "T" ? "10" : card[1]);
  const suit = (letter) => make("i", { class: `suit-${letter}` }, SYMBOLS[letter]);
  const percent = (share) => (share > 0 && share < 10 ? "<1" : share > 990 && share < 1000 ? ">99" : String(Math.round(share / 10)));

  function knownHand(seat, step) {
    if (seat === table.observer) return table.own;
    return seat === table.dummy && step.open ? table.dummyHand : null;
  }

  function drawTable(step) {
    const played = table.plays.slice(0, step.cards);
    const gone = new Set(played.map(([, card]) => card));
    const parts = Object.keys(SEATS).map((seat) => {
      const whole = knownHand(seat, step);
      const shown = whole || played.filter(([who]) => who === seat).map(([, card]) => card);
      const role = seat === table.observer ? "observer" : seat === table.dummy && step.open ? "dummy" : "";
      const rows = [..."SHDC"].map((letter, place) => {
        const cards = RANKS.map((rank) => letter + rank).filter((card) => shown.includes(card));
        const row = make("li", {}, suit(letter), " ");
        for (const card of cards) row.append(gone.has(card) ? make("s", {}, rankOf(card)) : rankOf(card), " ");
        if (!whole) row.append(make("small", { title: "expected length" }, `≈ ${step.lengths[seat] ? step.lengths[seat][place].toFixed(1) : cards.length}`));
        else if (!cards.length) row.append("–");
        return row;
      });
      const strength = step.points[seat];
      const who = table.names[seat] && role ? `${table.names[seat]} (${role})` : table.names[seat] || role;
      return make("section", { class: `hand ${seat.toLowerCase()}` },
        make("h3", {}, SEATS[seat], make("em", {}, ` ${who}`)), make("ul", {}, ...rows),
        make("p", {}, strength ? `≈ ${strength.mean.toFixed(1)} points, ${strength.low} to ${strength.high}` : ""));
    });
    const first = step.cards ? 4 * Math.floor((step.cards - 1) / 4) : 0;
    const trick = table.plays.slice(first, step.cards).map(([seat, card]) =>
      make("span", { class: seat.toLowerCase() }, suit(card[0]), rankOf(card)));
    trick.forEach((card, place) => {
      const judged = table.review[first + place];
      if (judged) card.append(make("b", { class: judged.verdict, title: judged.why }, judged.verdict === "costly" ? "?" : "!"));
    });
    const middle = trick.length ? make("div", { class: "trick" }, ...trick)
      : make("b", {}, step.calls === table.calls.length && table.contract ? table.contract : "");
    at("table").replaceChildren(...parts, make("div", { class: "compass" }, middle));
  }

  function drawAuction(step) {
    if (!table.calls.length) return;
    const order = [..."NESW"];
    const from = order.indexOf(table.calls[0][0]);
    const seats = order.map((_, place) => order[(from + place) % 4]);
    const body = make("tbody", {});
    for (let place = 0; place < table.calls.length; place += 4) {
      body.append(make("tr", {}, ...table.calls.slice(place, place + 4).map(([, call], i) => {
        const number = place + i;
        const state = number >= step.calls ? "later" : number === step.calls - 1 && !step.cards && !step.open ? "now" : "";
        return make("td", { class: state }, ...(SYMBOLS[call[1]] ? [call[0], suit(call[1])] : [call]));
      })));
    }
    const head = make("thead", {}, make("tr", {}, ...seats.map((seat) => make("th", { scope: "col" }, SEATS[seat]))));
    at("auction").replaceChildren(make("table", { class: "auction" }, make("caption", {}, "The auction"), head, body));
  }

  function drawCards(step) {
    const honours = at("honours").checked, real = at("truth").checked && table.truth;
    const ranks = honours ? RANKS.slice(0, 5) : RANKS;
    const gone = new Set(table.plays.slice(0, step.cards).map(([, card]) => card));
    at("cards").className = honours ? "suits" : "suits all";
    at("cards").replaceChildren(...[..."SHDC"].map((letter, block) => {
      const head = ranks.map((rank) => make("th", { scope: "col", class: gone.has(letter + rank) ? "gone" : "" }, rankOf(letter + rank)));
      const rows = step.hidden.map((seat) => make("tr", {}, make("th", { scope: "row" }, SEATS[seat]),
        ...ranks.map((rank, place) => {
          const card = letter + rank, share = step.places[seat][13 * block + place];
          const certain = share === 1000 || step.hidden.every((other) => step.places[other][13 * block + place] === 0);
          const classes = [share > 550 ? "strong" : "", gone.has(card) ? "gone" : "",
            real && table.truth[seat].includes(card) && !certain ? "true" : ""].filter(Boolean).join(" ");
          const text = gone.has(card) ? (share === 1000 ? "×" : "·") : share || !certain ? percent(share) : "·";
          return make("td", { class: classes, style: `--p:${share / 10}%` }, text);
        })));
      return make("table", { class: "heat" }, make("caption", {}, suit(letter)),
        make("thead", {}, make("tr", {}, make("td", {}), ...head)), make("tbody", {}, ...rows));
    }));
  }

  function drawPoints(step) {
    const wide = 300, tall = 60;
    const longest = Math.max(...steps.flatMap((one) => Object.values(one.points).map((each) => each.shares.length)));
    at("points").replaceChildren(...step.hidden.map((seat) => {
      const { mean, low, high, shares } = step.points[seat];
      const each = wide / longest, top = Math.max(...shares, 1);
      const words = `${SEATS[seat]}: ${mean.toFixed(1)} points (80 %: ${low} to ${high})`;
      const svg = make("svg", { class: "bars", role: "img", viewBox: `-8 0 ${wide + 16} ${tall + 24}` }, make("title", {}, words),
        make("line", { x1: "0", x2: wide, y1: tall + 10, y2: tall + 10 }));
      shares.forEach((share, number) => share && svg.append(make("rect", { x: number * each + 0.6, y: 10 + tall * (1 - share / top),
        width: each - 1.2, height: (tall * share) / top })));
      for (let number = 0; number < longest; number += 5) svg.append(make("text", { x: (number + 0.5) * each, y: tall + 21 }, String(number)));
      return make("figure", { class: "points" }, make("figcaption", {}, words), svg);
    }));
  }

  function drawLengths(step) {
    const before = now ? steps[now - 1].lengths : {};
    const head = make("tr", {}, make("td", {}), ...[..."SHDC"].map((letter) => make("th", { scope: "col" }, suit(letter))));
    const rows = step.hidden.map((seat) => make("tr", {}, make("th", { scope: "row" }, SEATS[seat]),
      ...step.lengths[seat].map((mean, place) => {
        const moved = before[seat] ? mean - before[seat][place] : 0;
        return make("td", {}, `${mean.toFixed(1)}${moved > 0.05 ? " ↑" : moved < -0.05 ? " ↓" : ""}`);
      })));
    at("lengths").replaceChildren(make("table", { class: "narrow" },
      make("caption", {}, "Expected cards of each suit; arrows say what the step changed"), make("thead", {}, head), make("tbody", {}, ...rows)));
  }

  // What becomes of the contract, by the deal, from here on, or by the tricks taken.
  function chanceWords(step) {
    const tricks = `${step.tricks.toFixed(1)} tricks on average.`;
    const taken = step.cards === 52 ? `${step.tricks} tricks.` : tricks;
    if (step.basis === "settled") return ` ${table.contract} ${step.made ? "is made" : "is down"}, with ${taken}`;
    const makes = `${table.contract} makes with ${(100 * step.made).toFixed(0)} %, ${tricks}`;
    return step.basis === "solved" ? ` From here on ${makes}` : ` As dealt ${makes}`;
  }

  // Why the cards of the trick were costly or unlucky.
  function reviewWords(step) {
    const first = step.cards ? 4 * Math.floor((step.cards - 1) / 4) : 0;
    return table.plays.slice(first, step.cards).map(([seat, card], place) => {
      const judged = table.review[first + place];
      return judged ? ` ${SEATS[seat]}'s ${SYMBOLS[card[0]]}${rankOf(card)} was ${judged.verdict}: ${judged.why}` : "";
    }).join("");
  }

  function toldWords(step) {
    const bits = step.bits === null ? "" : `${step.bits.toFixed(1)} bits are unknown: `;
    const left = `${bits}${step.layouts} ${step.layouts === "1" ? "layout fits" : "layouts fit"}${step.exact ? "" : " (estimated from draws)"}.`;
    const chance = step.made === null ? "" : chanceWords(step);
    const review = reviewWords(step);
    if (step.told === null) return left + chance + review;
    const times = 2 ** Math.abs(step.told);
    const size = times < 10 ? times.toFixed(1) : times < 1e6 ? Math.round(times).toLocaleString("en").replaceAll(",", " ") : `10^${Math.round(Math.log10(times))}`;
    const news = step.told > 0.05 ? `It told ${step.told.toFixed(1)} bits: ${size} times fewer layouts are likely now. `
      : step.told < -0.05 ? `A surprise: ${(-step.told).toFixed(1)} bits more are unknown than before. ` : "It told next to nothing. ";
    return news + left + chance + review;
  }

  function show(wanted) {
    now = Math.max(0, Math.min(steps.length - 1, wanted));
    const step = steps[now], words = `Step ${now + 1} of ${steps.length}: ${step.event}`;
    at("event").textContent = words;
    at("told").textContent = toldWords(step);
    at("slider").value = now;
    at("slider").setAttribute("aria-valuetext", words);
    at("first").disabled = at("back").disabled = now === 0;
    at("next").disabled = at("last").disabled = now === steps.length - 1;
    [...at("strip").children].forEach((bar, place) => bar.classList.toggle("on", place === now));
    drawTable(step); drawAuction(step); drawCards(step); drawPoints(step); drawLengths(step);
    try { history.replaceState(null, "", `#${now + 1}`); } catch { /* a page inside another may not */ }
  }

  const most = Math.max(...steps.map((step) => step.bits), 1);
  at("strip").append(...steps.map((step, place) => {
    const bar = make("i", { style: `height:${(100 * step.bits) / most}%`, title: `${step.event}: ${(step.bits ?? 0).toFixed(1)} bits left` });
    bar.addEventListener("click", () => show(place));
    return bar;
  }));
  if (!table.truth) at("reveal").hidden = true;
  at("first").addEventListener("click", () => show(0));
  at("back").addEventListener("click", () => show(now - 1));
  at("next").addEventListener("click", () => show(now + 1));
  at("last").addEventListener("click", () => show(steps.length - 1));
  at("slider").addEventListener("input", (event) => show(Number(event.target.value)));
  for (const name of ["honours", "truth"]) at(name).addEventListener("change", () => drawCards(steps[now]));
  document.addEventListener("keydown", (event) => {
    const moves = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: steps.length - 1 };
    if (!(event.key in moves) || event.altKey || event.ctrlKey || event.metaKey || event.target === at("slider")) return;
    event.preventDefault();
    show(moves[event.key]);
  });
  window.addEventListener("hashchange", () => show((Number(location.hash.slice(1)) || 1) - 1));
  show((Number(location.hash.slice(1)) || 1) - 1);
})();
