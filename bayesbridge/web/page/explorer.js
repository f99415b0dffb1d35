// The explorer: a position in the address, questions to a server or to the kernel of a notebook, answers as they come.
// State is one object; every change goes through change(), which remembers it for undo, writes it into the address and
// asks. Text from anywhere reaches the page as text nodes alone.

const SEATS = ["N", "E", "S", "W"];
const NAMES = { N: "North", E: "East", S: "South", W: "West" };
const SUITS = ["S", "H", "D", "C"];
const SYMBOLS = { S: "♠\ufe0e", H: "♥\ufe0e", D: "♦\ufe0e", C: "♣\ufe0e" };
const SUIT_NAMES = { S: "spades", H: "hearts", D: "diamonds", C: "clubs" };
const RANKS = "AKQJT98765432";
const RANK_NAMES = { A: "ace", K: "king", Q: "queen", J: "jack", T: "10" };
const STRAINS = ["C", "D", "H", "S", "NT"];
const CARDS = SUITS.flatMap((suit) => [...RANKS].map((rank) => suit + rank));
// What the server offers: kinds of evidence with an example each, settings, those that are one for each side, and models.
const about = JSON.parse(document.querySelector("meta[name=about]").content);
const { settings: SETTINGS, many: MANY } = about;
const KINDS = Object.keys(about.kinds);
const CLICKED = ["reveal", "play", "holds", "lacks", "call"]; // on cards and calls; any other kind is added by the form
const FORMERLY = { auction: "write call=N:1NT for each call", evidence: "write each piece by its kind, as void=E:H" };
// Panels beside the table, in the order of their tabs. Some are always in sight where there is room for two columns, or three.
const PANELS = { cards: "Cards", points: "Points", contracts: "Contracts", play: "Play", layouts: "Layouts", add: "Add", more: "More" };
const MOMENTS = {
  own: {
    name: "My own deal",
    hint: "An empty table: type or paste your hand, the auction, a hand viewer's link or a record, or click the cards of your hand.",
    link: "observer=S&players=4&show=add",
  },
  finesse: {
    name: "A finesse with a count",
    hint: "7♠ hangs on the ♦Q, which the count puts with East. Click ♥7 among the cards (on a phone: Add): West, who opened 3♥, has no second club, and the ♦Q moves.",
    link:
      "observer=S&hand=AQJ74.65.KJ5.A42&players=4&first=W&call=W:3H&call=N:X&call=E:Pass&call=S:7S&call=W:Pass&call=N:Pass&call=E:Pass" +
      "&play=W:HK&reveal=N:KT83.A.AT742.K83&play=N:HA&play=E:H2&play=S:H5&play=N:S3&play=E:S2&play=S:SA&play=W:S5" +
      "&play=S:SQ&play=W:H3&play=N:S8&play=E:S6&play=S:SJ&play=W:H4&play=N:ST&play=E:S9" +
      "&play=S:CA&play=W:C9&play=N:C3&play=E:C6&play=S:C2",
  },
  lead: {
    name: "A lead against 3NT",
    hint: "1NT, 3NT, and West is on lead. Play says what each card is worth; click one of West's to lead it.",
    link: "observer=W&hand=QJ742.K83.95.T64&players=4&first=S&show=play&call=S:1NT&call=W:Pass&call=N:3NT&call=E:Pass&call=S:Pass&call=W:Pass",
  },
  slam: {
    name: "A slam decision",
    hint: "Partner opened 1NT and South has 16 points: game or slam? See Contracts, then add a fact, such as 17 points with North.",
    link: "observer=S&hand=KQ85.A4.AQJ63.87&players=4&first=N&show=contracts&call=N:1NT&call=E:Pass",
  },
  paper: {
    name: "The paper's game",
    hint: "Three bid, North is dummy. Click 1NT and what West and East answer, and watch where the cards go.",
    link: "observer=S&hand=AKQ2.KJ3.A54.Q32",
  },
};
const TAB = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");

const $ = (id) => document.getElementById(id);

// --- elements ---

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") made.className = value;
    else if (name === "on") for (const [event, act] of Object.entries(value)) made.addEventListener(event, act);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

const symbol = (suit) => element("span", { class: `suit-${suit}`, "aria-hidden": "true" }, SYMBOLS[suit]);
const spoken = (text) => element("span", { class: "sr" }, text);
const cardWords = (card) => `${RANK_NAMES[card[1]] ?? card[1]} of ${SUIT_NAMES[card[0]]}`;

const rankOf = (card) => card[1].replace("T", "10");

function cardText(card) {
  return element("span", { class: `suit-${card[0]}` }, SYMBOLS[card[0]] + rankOf(card));
}

function callText(call) {
  const match = /^([1-7])(C|D|H|S|NT)$/.exec(call);
  if (!match || match[2] === "NT") return element("span", {}, call);
  return element("span", {}, match[1], element("span", { class: `suit-${match[2]}` }, SYMBOLS[match[2]]));
}

function contractText(contract) {
  const [, call, rest] = /^(\d[A-Z]+?)(X*(?: .*)?)$/.exec(contract) ?? [null, contract, ""];
  return element("span", {}, callText(call), rest);
}

function options(select, pairs, chosen) {
  const wanted = JSON.stringify(pairs);
  if (select.dataset.pairs !== wanted) {
    select.replaceChildren(...pairs.map(([value, text]) => element("option", { value }, text)));
    select.dataset.pairs = wanted;
  }
  if (chosen !== undefined && chosen !== null) select.value = chosen;
}

const percent = (share) =>
  share <= 0 ? "0" : share >= 1 ? "100" : share < 0.005 ? "<1" : share > 0.995 ? ">99" : String(Math.round(100 * share));
const figure = (share) => (share <= 0 ? "0 %" : share < 0.0005 ? "<0.1 %" : share >= 1 ? "100 %" : share > 0.9995 ? ">99.9 %" : `${(100 * share).toFixed(1)} %`);
const spaced = (digits) => String(digits).replace(/\B(?=(\d{3})+$)/g, " ");

const many = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

let fade = null;
function say(words) {
  $("status").textContent = words;
  renderBusy();
  clearTimeout(fade); // on a phone it lies over the answers
  fade = setTimeout(() => $("state").classList.remove("on"), 5000);
}

// What is wrong with a field stands at it; an empty message takes it back.
function fault(field, place, message) {
  $(field).setAttribute("aria-invalid", String(Boolean(message)));
  $(place).textContent = message;
  $(place).hidden = !message;
}

// --- the position ---

let home = MOMENTS.finesse.link; // where "start again" goes back to
let state = read(home);
let board = null; // what is said of the table
let boardOf = ""; // and of which position
let answer = {}; // cards, points, captures, tricks as they came
const changes = new Map(); // what each chip changed, by the position up to it
const sentences = new Map(); // what each chip says
let kept = null; // {hash, answer}: the belief A
let draft = new Set(); // cards of a hand that is being entered
let mode = "hand";
let news = ""; // the position whose last piece was just added
const undone = [];
const done = [];

function read(text, unknown = []) {
  const fresh = { settings: {}, evidence: [], first: null, contract: null, compare: null, show: null, seed: null };
  for (const [name, value] of new URLSearchParams(text)) {
    if (KINDS.includes(name)) fresh.evidence.push([name, value]);
    else if (MANY.includes(name)) fresh.settings[name] = [...(fresh.settings[name] ?? []), value];
    else if (SETTINGS.includes(name)) fresh.settings[name] = value;
    else if (name === "first" && SEATS.includes(value)) fresh.first = value;
    else if (name === "show" && PANELS[value]) fresh.show = value;
    else if (name === "seed" && /^\d{1,15}$/.test(value)) fresh.seed = Number(value);
    else if (name === "contract") fresh.contract = value;
    else if (name === "with") fresh.compare = write(read(value, unknown), false);
    else unknown.push(`${name}=${value.slice(0, 60)}`);
    if (name === "hand" && /[^AKQJT2-90.]|1(?!0)/i.test(value)) unknown.push(`hand=${value.slice(0, 60)}`);
  }
  return fresh;
}

function open(link) {
  // The position of a link; what the page does not know in it is said, never dropped without a word.
  const unknown = [];
  const found = read(link, unknown);
  const hints = unknown.map((one) => FORMERLY[one.split("=")[0]]).filter(Boolean);
  const known = `Keys of a link are ${[...SETTINGS, "first", "contract", "show", "seed", "with", ...KINDS].join(", ")}`;
  $("notice").textContent = unknown.length ? `Not understood and left out of this position: ${unknown.join(", ")}. ${hints[0] ? `Instead, ${hints[0]}. ` : ""}${known}.` : "";
  $("notice").hidden = !unknown.length;
  return found;
}

function write(position, whole = true) {
  const words = new URLSearchParams();
  for (const name of SETTINGS) {
    for (const value of [position.settings[name] ?? []].flat()) words.append(name, value);
  }
  if (position.first) words.append("first", position.first);
  if (position.contract) words.append("contract", position.contract);
  if (position.seed !== null) words.append("seed", position.seed);
  if (whole && position.show) words.append("show", position.show);
  for (const [kind, text] of position.evidence) words.append(kind, text);
  if (whole && position.compare) words.append("with", position.compare);
  return words.toString().replaceAll("%3A", ":").replaceAll("%2C", ",");
}

const observer = () => state.settings.observer ?? "S";
const four = () => state.settings.players === "4";
const dummy = () => (four() ? null : (state.settings.dummy ?? "N"));
const hand = () => cardsOf(state.settings.hand ?? "...");
const cardsOf = (pbn) =>
  new Set(pbn.split(".").flatMap((ranks, row) => [...ranks.toUpperCase().replaceAll("10", "T")].filter((rank) => RANKS.includes(rank)).map((rank) => SUITS[row] + rank)));
const pbnOf = (cards) => SUITS.map((suit) => [...RANKS].filter((rank) => cards.has(suit + rank)).join("")).join(".");
const complete = () => hand().size === 13;

function change(alter, words, { remember = true } = {}) {
  const before = write(state);
  alter();
  const after = write(state);
  if (before !== after && remember) {
    done.push(before);
    undone.length = 0;
  }
  if (words) say(words);
  $("notice").hidden = true;
  $("opening").hidden = true;
  fault("entry", "entry-error", "");
  moved(remember && before !== after);
}

function moved(step = false) {
  if (news !== write(state, false)) $("moved").hidden = true;
  transport.write(write(state), step);
  stale();
  started = performance.now();
  render();
  ask();
}

function back(from, to, words) {
  if (!from.length) return say(`Nothing to ${words}.`);
  to.push(write(state));
  state = { ...read(from.pop()), show: state.show };
  draft.clear();
  say(words === "undo" ? "Taken back." : "Done again.");
  moved();
}

function add(kind, text, words, first = state.first) {
  change(() => {
    state.first = first;
    state.evidence.push([kind, text]);
    news = write(state, false);
  }, words);
}

// --- who answers ---
// ask(tab, document, signal, kind) gives events as they come, each [name, document]; once(kind, document) one document,
// with a message if it is refused. The position is read, written and followed.

let transport = null;

async function post(path, document_, signal) {
  return fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(document_), signal });
}

const server = {
  async *ask(tab, asked, signal, kind = "ask") {
    const response = await post(kind, { tab, ...asked }, signal);
    if (response.status === 503) throw new TypeError("busy");
    if (!response.ok) return yield ["refused", { message: (await response.text()).trim() }];
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done: ended, value } = await reader.read();
      if (ended) return;
      rest += value;
      for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
        const [name, data] = rest.slice(0, end).split("\n");
        rest = rest.slice(end + 2);
        yield [name.slice(7), JSON.parse(data.slice(6))];
      }
    }
  },
  async once(kind, document_) {
    const text = await (await post(`once/${kind}`, { tab: TAB, ...document_ })).text();
    return text.startsWith("{") ? JSON.parse(text) : { message: text.trim() };
  },
  sharpens: true, // in a process of its own, while a kernel has other cells to run
  read: () => location.hash.slice(1),
  write: (link, step) => history[step ? "pushState" : "replaceState"](null, "", `#${link}`),
  moved: (act) => addEventListener("hashchange", () => act(server.read())),
  link: () => location.href,
};

function kernel(port, { link, dark }) {
  // Through the widget around this frame: each message is answered by one event, and then the next is asked for.
  const waiting = new Map();
  const themes = [...document.styleSheets[0].cssRules].filter((rule) => rule.media?.mediaText.includes("color-scheme"));
  let asked = 0;
  let follow = null;
  const paint = (night) => {
    for (const rule of themes) rule.media.mediaText = night ? "all" : "not all";
    document.documentElement.style.colorScheme = night ? "dark" : "light";
  };
  async function* events(message, signal) {
    const id = `${TAB}-${++asked}`;
    for (let next = { id, ...message }, event = []; event[0] !== "end" && !signal?.aborted; next = { id }) {
      port.postMessage(next);
      yield (event = await new Promise((resolve) => waiting.set(id, resolve)));
    }
  }
  const once = async (kind, document_) => (await events({ kind, ...document_ }).next()).value[1];
  port.onmessage = ({ data }) => {
    if (data.id) waiting.get(data.id)?.(data.event);
    else if ("dark" in data) paint(data.dark);
    else follow(data.link);
  };
  paint(dark);
  return {
    ask: (_tab, document_, signal, kind = "ask") => events({ kind, ...document_ }, signal),
    once,
    read: () => link,
    write: (text) => port.postMessage({ link: text }),
    moved: (act) => (follow = act),
    link: () => "",
  };
}

// --- asking ---

let started = 0;
let asking = null;
let retry = null;
let retries = 0;
const timings = [];

function question(position = state) {
  const settings = { ...position.settings };
  const asked = { settings, evidence: position.evidence, first: position === state ? firstCaller() : (position.first ?? "S") };
  if (position.contract) asked.contract = position.contract;
  if (position.seed !== null) asked.seed = position.seed;
  return asked;
}

// --- what is out of date, and what runs ---

const SHOWN = {
  cards: ["heat", "exact", "hands"],
  points: ["points"],
  calls: ["calls", "calls-words"],
  values: ["values", "values-words", "values-notes"],
  contracts: ["contracts"],
  tricks: ["odds", "tricks-pmf", "caution-field"],
  captures: ["captures-words", "captures", "captures-notes"],
  leads: ["leads-words", "leads", "leads-notes"],
  layouts: ["layouts"],
};

function stale() {
  // What stands there is of an earlier position until its answer comes.
  for (const ids of Object.values(SHOWN)) for (const id of ids) $(id).classList.add("stale");
  $("layouts-words").textContent = $("layouts").children.length ? "These are of an earlier position." : "";
}

const ON_DEMAND = ["layouts", "values"]; // answered when a button asks for them

function fresh(name) {
  for (const id of SHOWN[name] ?? []) $(id).classList.remove("stale");
}

let stopped = false;
let since = 0; // when the work that runs was begun
function renderBusy() {
  const busy = Boolean(asking || sharpening || valuing);
  if (!busy) since = performance.now();
  const seconds = Math.floor((performance.now() - since) / 1000);
  $("busy").classList.toggle("away", !busy && !stopped);
  $("busy").classList.toggle("stopped", stopped);
  $("stop").textContent = stopped ? "Go on" : "Stop";
  $("seconds").textContent = busy && seconds > 0 ? `${seconds} s` : "";
  $("state").classList.toggle("on", Boolean($("status").textContent) || seconds > 0 || stopped);
}

function stop() {
  if (stopped) return ask();
  stopped = true;
  const old = Boolean(asking);
  for (const running of [asking, sharpening, valuing]) running?.abort();
  asking = sharpening = valuing = null;
  delete document.documentElement.dataset.busy;
  explorer.shown = explorer.asked;
  say(old ? "Stopped: what is dim is of an earlier position." : "Stopped: what was found stays.");
  renderLeads();
}

async function ask() {
  stopped = false;
  asking?.abort();
  sharpening?.abort();
  valuing?.abort();
  sharpening = valuing = null;
  clearTimeout(retry);
  if (!complete()) {
    asking = board = null;
    delete document.documentElement.dataset.busy;
    answer = {};
    for (const name of Object.keys(SHOWN)) if (!ON_DEMAND.includes(name)) fresh(name);
    render();
    renderBusy();
    return;
  }
  const mine = (asking = new AbortController());
  const number = ++explorer.asked;
  since = performance.now();
  document.documentElement.dataset.busy = "1";
  renderBusy();
  const slow = setTimeout(() => timings.length || say("The first start compiles for a minute."), 4000);
  try {
    for await (const [name, document_] of transport.ask(TAB, { question: question() }, mine.signal)) {
      if (mine.signal.aborted) return;
      if (retries) say("The server answers again.");
      retries = 0;
      receive(name, document_, number);
    }
    for (const name of Object.keys(SHOWN)) if (!ON_DEMAND.includes(name) && !board?.conflict) fresh(name);
    if (transport.sharpens && answer.leads?.cards && !answer.leads.clear && !answer.leads.exact) sharpen();
  } catch (error) {
    if (mine.signal.aborted) return;
    const wait = Math.min(10, 2 ** retries++);
    const why = error.message === "busy" ? "The server is busy" : "The server does not answer (is it running?)";
    say(`${why}; asking again in ${wait} s. Nothing is lost: the position is in the address.`);
    retry = setTimeout(ask, 1000 * wait);
  } finally {
    clearTimeout(slow);
    if (asking === mine) {
      asking = null;
      if (!checking) delete document.documentElement.dataset.busy;
      renderLeads();
    }
    renderBusy();
  }
}

let valuing = null;
async function valueCalls() {
  // What each call is worth if everybody bids on, on more and more layouts.
  const mine = (valuing = new AbortController());
  stopped = false;
  $("values-words").textContent = "The auctions are being finished …";
  fresh("values");
  renderBusy();
  try {
    for await (const [name, told] of transport.ask(TAB, { question: question() }, mine.signal, "values")) {
      if (mine.signal.aborted) return;
      if (name === "values") renderValues(told);
      if (name === "refused") $("values-words").textContent = told.message;
    }
  } catch {
    if (!mine.signal.aborted) $("values-words").textContent = "The server does not answer (is it running?).";
  } finally {
    if (valuing === mine) valuing = null;
    renderBusy();
  }
}

function renderValues(told) {
  const rows = told.rows.map((row) => [callText(row.call), figure(row.share), row.gain, row.ends]);
  $("values-words").textContent = told.sentence;
  ranked($("values"), ["call", "experts", told.gained, "then most often"], rows);
  $("values-notes").textContent = told.notes;
}

let sharpening = null;
async function sharpen() {
  // More layouts are solved as long as the position stays, and each ranking takes the place of the one before.
  const mine = (sharpening = new AbortController());
  renderLeads();
  renderBusy();
  try {
    for await (const [name, told] of transport.ask(TAB, { question: question() }, mine.signal, "sharpen")) {
      if (mine.signal.aborted) return;
      if (name === "leads") answer.leads = told;
      renderLeads();
    }
  } catch {
    // the ranking so far stays
  } finally {
    if (sharpening === mine) sharpening = null;
    if (!mine.signal.aborted) renderLeads();
    renderBusy();
  }
}

function receive(name, document_, number) {
  if (name === "board") {
    board = document_;
    boardOf = write(state, false);
    refusal = "";
    if (board.auction.over) delete answer.contracts;
    else delete answer.leads;
    if (!chooses()) delete answer.leads;
    if (board.auction.over || board.auction.turn !== observer()) delete answer.calls;
    renderContracts();
    renderLeads();
    renderCall();
    state.evidence.forEach(([kind, text], index) => sentences.set(`${kind} ${text}`, board.chips[index].sentence));
    if (board.conflict) explorer.shown = number;
    $("moved").hidden ||= Boolean(board.conflict);
    render();
  } else if (name === "cards") {
    answer.cards = document_;
    fresh(name);
    renderHeat();
    const begun = started;
    requestAnimationFrame(() => {
      if (document_.stage !== "more") timings.push(performance.now() - begun);
      explorer.shown = number;
    });
  } else if (RENDER[name]) {
    answer[name] = document_;
    fresh(name);
    RENDER[name]();
  } else if (name === "chip") {
    changes.set(upTo(document_.number), document_);
    renderChips();
    if (news === write(state, false) && document_.number === state.evidence.length - 1) renderMoved(document_);
  } else if (name === "refused") {
    explorer.shown = number;
    refusal = document_.message;
    say(refusal);
  } else if (name === "end") {
    renderCompare();
  }
}

let refusal = ""; // what the last question was told, if it was refused

// Whether the observer chooses the next card, for the dummy too; what is chosen for others is no question.
function chooses() {
  const turn = board?.play.turn;
  if (!turn || !board.contract) return false;
  const declarer = board.contract.split(" ")[2];
  const open = dummy() ?? SEATS[(SEATS.indexOf(declarer) + 2) % 4];
  return turn === open ? observer() === declarer : turn === observer();
}

const RENDER = { points: () => (renderHands(), renderCompass()), captures: renderCaptures, tricks: renderTricks, contracts: renderContracts, leads: renderLeads, calls: renderCall };

// --- the table ---

function render() {
  renderTabs();
  renderMoment();
  renderSettings();
  renderCompass();
  renderPicker();
  renderAuction();
  renderChips();
  renderConflict();
  renderCall();
  renderContract();
  renderTake();
  $("undo").setAttribute("aria-disabled", String(!done.length));
  $("redo").setAttribute("aria-disabled", String(!undone.length));
  if (!answer.cards) renderHeat();
  $("answers").classList.toggle("old", !complete() || Boolean(board?.conflict));
}

function renderSettings() {
  const seats = SEATS.map((seat) => [seat, NAMES[seat]]);
  $("players").value = four() ? "4" : "3";
  options($("observer"), seats.filter(([seat]) => seat !== dummy()), observer());
  $("dummy-field").hidden = four();
  options($("dummy"), seats.filter(([seat]) => seat !== observer()), dummy() ?? "N");
  options($("first"), seats.filter(([seat]) => seat !== dummy()), firstCaller());
  $("first").disabled = state.evidence.some(([kind]) => kind === "call");
  $("vulnerable-field").hidden = !caresForVulnerability();
  $("vulnerable").value = state.settings.vulnerable ?? "None";
  options($("bidder"), [["", `usual (${four() ? "learned" : "iterative"})`], ...about.bidders.map((name) => [name, name])], state.settings.bidder ?? "");
  $("slip").value = document.activeElement === $("slip") ? $("slip").value : (state.settings.slip ?? "");
  for (const field of document.querySelectorAll(".of-four")) field.hidden = !four();
  options($("player"), [["", "usual (learned)"], ["none", "none: cards say only where they lie"]], state.settings.player ?? "");
  for (const side of ["NS", "EW"]) {
    for (const kind of MANY) {
      const told = toldOf(kind, side);
      const names = new Set([...(about[`${kind}s`] ?? []), ...loaded.filter(() => kind === "style"), ...(told ? [told] : [])]);
      const usual = kind === "style" ? "not known" : "as experts on average";
      options($(`${kind}-${side}`), [["", usual], ...[...names].map((name) => [name, name.replace(/\.(\d+)\.[0-9a-f]{8}\.[\w-]{203}$/, ", $1 tables")])], told);
    }
  }
  options($("seat"), seats.filter(([seat]) => mode === "play" || seat !== observer()));
  options($("add-seat"), seats.filter(([seat]) => seat !== observer()));
}

const caresForVulnerability = () => four() && ["learned", undefined].includes(state.settings.bidder);
const firstCaller = () => {
  const call = state.evidence.find(([kind]) => kind === "call");
  if (call) return call[1][0];
  const chosen = state.first ?? observer();
  return chosen === dummy() ? SEATS.find((seat) => seat !== dummy()) : chosen;
};

// A system of both sides stands in a link without a side; several of one side are joined by "+".
const toldOf = (kind, side) =>
  (state.settings[kind] ?? [])
    .filter((one) => !/^(NS|EW):/i.test(one) || one.toUpperCase().startsWith(side))
    .map((one) => one.replace(/^(NS|EW):/i, ""))
    .join("+");

function tell(kind, side, name) {
  const told = { NS: toldOf(kind, "NS"), EW: toldOf(kind, "EW"), [side]: name };
  const sides = Object.entries(told).filter(([, one]) => one);
  const both = kind === "system" && told.NS === told.EW && told.NS;
  const texts = both ? [told.NS] : sides.map(([one, text]) => `${one}:${text}`);
  change(() => (texts.length ? (state.settings[kind] = texts) : delete state.settings[kind]), `${kind} of ${side}: ${name.split(".")[0] || "not known"}.`);
}

// How they bid and play: what stays the same from board to board.
function how() {
  const { bidder, slip, system, style, player } = four() ? state.settings : {};
  return { bidder, slip, system, style, player };
}

// --- moments and panels ---

function renderMoment() {
  const named = Object.keys(MOMENTS).find((name) => follows(state, read(MOMENTS[name].link)));
  if (named) home = MOMENTS[named].link;
  const moments = Object.entries(MOMENTS).map(([name, moment]) => [name, moment.name]);
  options($("moment"), moments, named ?? "own");
  const begun = named && state.evidence.length === read(MOMENTS[named].link).evidence.length;
  $("hint").textContent = MOMENTS[named ?? "own"].hint; // keeps its place when its moment is over
  $("hint").classList.toggle("away", !begun || !$("moved").hidden);
}

function follows(position, moment) {
  // Whether a position is a moment, or one with more evidence.
  const bare = ({ settings }) => write({ ...read(""), settings });
  return bare(position) === bare(moment) && moment.evidence.every((piece, number) => String(piece) === String(position.evidence[number]));
}

const two = matchMedia("(min-width: 42rem)");
const three = matchMedia("(min-width: 72rem)");
const always = () => (three.matches ? ["add", "cards", "points"] : two.matches ? ["add"] : []);

function renderTabs() {
  const fixed = always();
  const bidding = Boolean(board && !board.auction.over);
  const first = bidding || !board ? "contracts" : "play";
  const usual = fixed.includes("cards") || bidding ? first : "cards";
  const shown = state.show && !fixed.includes(state.show) ? state.show : usual;
  for (const panel of document.querySelectorAll("[data-panel]")) panel.hidden = panel.dataset.panel !== shown && !fixed.includes(panel.dataset.panel);
  for (const tab of $("tabs").children) {
    tab.hidden = fixed.includes(tab.dataset.tab);
    if (tab.dataset.tab === "contracts") tab.textContent = bidding ? "Call" : PANELS.contracts;
    tab.setAttribute("aria-selected", String(tab.dataset.tab === shown));
    tab.tabIndex = tab.dataset.tab === shown ? 0 : -1;
  }
}

function buildTabs() {
  for (const [name, words] of Object.entries(PANELS)) {
    $("tabs").append(element("button", { type: "button", role: "tab", "data-tab": name, "aria-controls": `p-${name}`, on: { click: () => show(name) } }, words));
  }
  roving($("tabs"), 1);
  for (const media of [two, three]) media.addEventListener("change", renderTabs);
}

function show(name) {
  state.show = name;
  transport.write(write(state));
  renderTabs();
  renderTake();
  if (!two.matches) scrollTo({ top: 0 });
}

function renderMoved(told) {
  const [kind, text] = state.evidence[told.number];
  const sentence = sentences.get(`${kind} ${text}`) ?? `${kind} ${text}`;
  for (const cell of document.querySelectorAll("#heat .far")) cell.classList.remove("far");
  const others = told.moved.filter(([card]) => text !== `${text[0]}:${card}`).slice(0, 3);
  const rows = others.map(([card, seat, old, now]) => {
    heat.get(card + seat).classList.add("far");
    const bar = element("i");
    bar.style.setProperty("--from", String(100 * old));
    bar.style.setProperty("--w", String(100 * now));
    return element("div", { class: "shift" }, element("span", {}, cardText(card), ` ${NAMES[seat]} `), bar, element("span", {}, `${percent(old)} → ${percent(now)} %`));
  });
  $("hint").classList.add("away");
  $("moved").replaceChildren(element("p", { title: sentence }, `${sentence}: ${rows.length ? "what moved most" : "no card moved by more than the draws can tell."}`), ...rows);
  $("moved").hidden = false;
}

function openHands() {
  const open = { [observer()]: hand() };
  for (const [kind, text] of state.evidence) if (kind === "reveal") open[text[0]] = cardsOf(text.slice(2));
  return open;
}

function played() {
  const cards = new Map();
  for (const [kind, text] of state.evidence) if (kind === "play") cards.set(text.slice(2).toUpperCase(), text[0]);
  return cards;
}

function renderCompass() {
  const focus = document.activeElement?.dataset?.key;
  const lay = $("lay"); // the field for the dummy's hand stands in its place
  const typing = lay.contains(document.activeElement) ? document.activeElement : null;
  const open = openHands();
  const gone = played();
  const turn = board?.play.turn;
  const parts = SEATS.map((seat) => {
    const notes = [seat === dummy() ? "dummy" : "", seat === observer() ? "you" : ""].filter(Boolean).join(", ");
    const lays = board?.play.opens === seat;
    const list = lays ? lay : element("ul");
    for (const suit of lays ? [] : SUITS) {
      const row = element("li", {}, symbol(suit), spoken(`${SUIT_NAMES[suit]}: `), " ");
      if (open[seat]) {
        const held = [...RANKS].map((rank) => suit + rank).filter((card) => open[seat].has(card));
        for (const card of held) row.append(heldCard(seat, card, gone, turn));
        if (!held.length) row.append("–");
      } else {
        const lies = [...gone].filter(([card, player]) => player === seat && card[0] === suit).map(([card]) => rankOf(card));
        row.append(lies.length ? element("s", {}, lies.join("")) : "", ` ${lengthWords(seat, suit)}`);
      }
      list.append(row);
    }
    const points = open[seat] || !complete() ? null : answer.points?.points[SEATS.indexOf(seat)];
    const words = points ? `≈ ${mean(points).toFixed(1)} points` : notes;
    return element("div", { class: `seat at-${seat}${turn === seat ? " turn" : ""}` }, element("h3", {}, NAMES[seat], element("small", {}, words)), list);
  });
  const trick = element("div", { class: "middle", "aria-label": "The trick", role: "group" });
  const last = board?.play.tricks.at(-1);
  for (const [seat, card] of last?.cards ?? []) trick.append(element("span", { class: `at-${seat}` }, cardText(card), spoken(`by ${NAMES[seat]}`)));
  const won = board?.play.won;
  trick.append(element("em", {}, won && won.NS + won.EW ? `NS ${won.NS}, EW ${won.EW}` : (board?.contract ?? (last ? "" : "no card yet"))));
  if (!board?.play.opens) $("table").append(lay);
  lay.hidden = !board?.play.opens;
  $("compass").replaceChildren(...parts, trick, $("corner"));
  typing?.focus();
  if (focus) document.querySelector(`[data-key="${focus}"]`)?.focus();
  const tricks = board?.play.tricks ?? [];
  $("tricks-so-far").hidden = !tricks.length;
  $("tricks").replaceChildren(
    ...tricks.map((one) => {
      const item = element("li");
      for (const [seat, card] of one.cards) item.append(`${seat} `, cardText(card), "  ");
      if (one.winner) item.append(`– ${NAMES[one.winner]} wins`);
      return item;
    }),
  );
}

function heldCard(seat, card, gone, turn) {
  const rank = rankOf(card);
  if (gone.has(card)) return element("s", { class: "held" }, rank);
  if (turn !== seat || !board?.play.legal[seat]?.includes(card)) return element("span", { class: "held" }, rank);
  return element("button", { type: "button", class: "held", "data-key": `h-${card}`, "aria-label": `${NAMES[seat]} plays the ${cardWords(card)}`, on: { click: () => play(seat, card) } }, rank);
}

const mean = (shares) => shares.reduce((sum, share, value) => sum + share * value, 0);

function lengthWords(seat, suit) {
  const lengths = answer.cards?.lengths?.[SEATS.indexOf(seat)]?.["CDHS".indexOf(suit)];
  if (!lengths || !complete()) return "?";
  const sure = lengths.findIndex((share) => share > 0.999999);
  if (sure >= 0) return sure ? `= ${sure}` : "–";
  return `≈ ${mean(lengths).toFixed(1)}`;
}

// --- cards ---

function buildPicker() {
  for (const suit of SUITS) {
    const row = element("div", { role: "group", "aria-label": SUIT_NAMES[suit] }, element("span", { class: `name suit-${suit}`, "aria-hidden": "true" }, SYMBOLS[suit]));
    for (const rank of RANKS) {
      const card = suit + rank;
      row.append(element("button", { type: "button", class: `suit-${suit}`, "data-card": card, tabindex: card === "SA" ? "0" : "-1", on: { click: () => pick(card) } }, rankOf(card)));
    }
    $("picker").append(row);
  }
  roving($("picker"), 13);
}

function roving(group, columns) {
  group.addEventListener("keydown", (event) => {
    const buttons = [...group.querySelectorAll("button:not([hidden])")];
    const at = buttons.indexOf(event.target);
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[event.key];
    const to = event.key === "Home" ? 0 : event.key === "End" ? buttons.length - 1 : step === undefined ? null : at + step;
    if (at < 0 || to === null) return;
    event.preventDefault();
    focusOn(buttons, buttons[Math.min(Math.max(to, 0), buttons.length - 1)]);
  });
  group.addEventListener("focusin", (event) => focusOn([...group.querySelectorAll("button")], event.target, false));
}

function focusOn(buttons, chosen, move = true) {
  for (const button of buttons) button.tabIndex = button === chosen ? 0 : -1;
  if (move) chosen.focus();
}

function player() {
  if (board?.play.over) return null;
  return board?.play.turn ?? $("seat").value;
}

function place(card) {
  // Where a card is known to lie, as far as the page can tell.
  for (const [seat, cards] of Object.entries(openHands())) if (cards.has(card)) return seat;
  return null;
}

function allowed(card) {
  if (mode === "hand") return hand().has(card) || (hand().size < 13 && place(card) === null);
  if (mode === "play") return Boolean(player() && board?.play.legal[player()]?.includes(card) && likely(player(), card));
  if (mode === "reveal") return draft.has(card) || (draft.size < 13 && place(card) === null);
  return place(card) === null;
}

const likely = (seat, card) => {
  const row = answer.cards?.cards?.[CARDS.indexOf(card)];
  return !row || board?.conflict || row[SEATS.indexOf(seat)] > 0;
};

function renderPicker() {
  if (!complete()) mode = "hand";
  $("mode").value = mode;
  $("seat-field").classList.toggle("away", mode === "hand" || (mode === "play" && Boolean(board?.play.turn)));
  const gone = played();
  const own = hand();
  for (const button of $("picker").querySelectorAll("button")) {
    const card = button.dataset.card;
    const can = allowed(card);
    const pressed = mode === "hand" ? own.has(card) : mode === "reveal" ? draft.has(card) : false;
    const at = gone.has(card) ? `, played by ${NAMES[gone.get(card)]}` : place(card) ? `, with ${NAMES[place(card)]}` : "";
    button.setAttribute("aria-disabled", String(!can));
    button.setAttribute("aria-label", cardWords(card) + at);
    if (mode === "hand" || mode === "reveal") button.setAttribute("aria-pressed", String(pressed));
    else button.removeAttribute("aria-pressed");
  }
  const opens = board?.play.opens;
  const turn = mode === "play" && player() && complete() ? `A click plays a card for ${NAMES[player()]}.` : "";
  $("pick-hint").textContent = !complete()
    ? `${many(13 - own.size, "more card")} ${own.size === 12 ? "makes" : "make"} ${NAMES[observer()]}'s hand.`
    : opens && mode !== "reveal"
      ? `${NAMES[opens]} is the dummy: type or click its hand at the table, or play on.`
      : mode === "reveal"
        ? `${draft.size} of 13 cards of ${NAMES[$("seat").value]}.`
        : turn;
}

function pick(card) {
  if (!allowed(card)) return say(`Not now: the ${cardWords(card)}${place(card) ? ` is with ${NAMES[place(card)]}` : " cannot be chosen"}.`);
  if (mode === "hand") {
    const cards = hand();
    const had = cards.delete(card);
    if (!had) cards.add(card);
    change(() => (state.settings.hand = pbnOf(cards)), `${had ? "Out" : "In"}: ${cardWords(card)}; ${cards.size} of 13.`);
  } else if (mode === "play") {
    play(player(), card);
  } else if (mode === "reveal") {
    if (!draft.delete(card)) draft.add(card);
    if (draft.size < 13) {
      say(`${draft.size} of 13 cards of ${NAMES[$("seat").value]}.`);
      return renderPicker();
    }
    const text = `${$("seat").value}:${pbnOf(draft)}`;
    draft.clear();
    mode = board?.contract ? "play" : "holds";
    add("reveal", text, `${NAMES[text[0]]} lays its hand open.`);
  } else {
    const seat = $("seat").value;
    add(mode, `${seat}:${card}`, `${NAMES[seat]} ${mode} the ${cardWords(card)}.`);
  }
}

function play(seat, card) {
  if (!ready()) return;
  mode = "play";
  add("play", `${seat}:${card}`, `${NAMES[seat]} plays the ${cardWords(card)}.`);
}

// --- the auction ---

function buildBox() {
  for (let level = 1; level <= 7; level++) for (const strain of STRAINS) box(`${level}${strain}`, "");
  box("Pass", "wide-call");
  box("X", "wide-call");
  box("XX", "one-call");
  roving($("box"), 5);
}

function box(call, style) {
  const words = { X: "X, double", XX: "XX, redouble" }[call] ?? (call.length !== 2 ? call : `${call[0]} ${SUIT_NAMES[call[1]]}`);
  $("box").append(element("button", { type: "button", class: style, "data-call": call, "aria-label": words, "aria-disabled": "true", tabindex: call === "1C" ? "0" : "-1", on: { click: () => bid(call) } }, callText(call)));
}

const ready = () => boardOf === write(state, false) || say(refusal || "One moment: the last click is not answered yet.");
const upTo = (number) => write({ ...state, evidence: state.evidence.slice(0, number + 1), contract: null, first: null }, false);

function bid(call) {
  if (!ready()) return;
  const turn = board?.auction.turn;
  if (!turn || !board.auction.legal.includes(call)) return say(turn ? `${call} is not allowed now.` : "The auction is over.");
  const opens = !state.evidence.some(([kind]) => kind === "call");
  add("call", `${turn}:${call}`, `${NAMES[turn]} calls ${call}.`, opens ? turn : state.first);
}

function heard() {
  // The calls of a position whose hand is not known yet.
  const calls = state.evidence.filter(([kind]) => kind === "call").map(([, text]) => text.split(":"));
  const seats = SEATS.filter((seat) => seat !== dummy());
  const at = Math.max(0, seats.indexOf(calls[0]?.[0]));
  return { calls, bidders: [...seats.slice(at), ...seats.slice(0, at)], legal: [], over: false };
}

function renderAuction() {
  const auction = board?.auction ?? heard();
  const legal = new Set(auction.legal);
  for (const button of $("box").querySelectorAll("button")) button.setAttribute("aria-disabled", String(!legal.has(button.dataset.call)));
  const held = $("box").contains(document.activeElement);
  $("box").hidden = !board || auction.over;
  if (held && $("box").hidden) $("picker").querySelector('[tabindex="0"]').focus();
  const table = $("auction");
  const caption = $("turn-to-call");
  const contract = board?.contract ? ["Contract ", contractText(board.contract)] : ["Passed out."];
  caption.replaceChildren(...(!board ? [] : auction.over ? contract : [`${NAMES[auction.turn]} is to call.`]));
  const rows = [];
  if (auction.calls.length) {
    const width = auction.bidders.length;
    rows.push(element("thead", {}, element("tr", {}, ...auction.bidders.map((seat) => element("th", { scope: "col" }, element("abbr", { title: NAMES[seat] }, seat))))));
    const body = element("tbody");
    for (let at = 0; at < auction.calls.length; at += width) {
      body.append(element("tr", {}, ...auction.calls.slice(at, at + width).map(([, call]) => element("td", {}, callText(call)))));
    }
    rows.push(body);
  }
  table.replaceChildren(caption, ...rows);
  table.parentElement.scrollTop = table.parentElement.scrollHeight;
  if (board?.contract && !board.conflict && mode !== "reveal" && board.contract !== lastContract) mode = "play";
  lastContract = board?.contract ?? null;
  renderPicker();
}
let lastContract = null;

// --- chips ---

function renderChips() {
  const focus = document.activeElement?.dataset?.key;
  const bad = new Set(board?.conflict?.chips ?? []);
  const items = state.evidence.map(([kind, text], number) => {
    const sentence = sentences.get(`${kind} ${text}`) ?? `${kind} ${text}`;
    const told = changes.has(upTo(number)) && !board?.conflict ? changeWords(changes.get(upTo(number))) : [];
    return element(
      "li",
      { class: bad.has(number) ? "conflict" : "" },
      element("span", {}, sentence, bad.has(number) ? element("small", {}, "in conflict") : null, ...told),
      element("button", { type: "button", "data-key": `c-${number}`, "aria-label": `Take back: ${sentence}`, on: { click: () => takeBack(number, sentence) } }, "×"),
    );
  });
  $("chips").replaceChildren(...items);
  $("no-chips").hidden = Boolean(items.length);
  if (focus?.startsWith("c-")) (document.querySelector(`[data-key="${focus}"]`) ?? $("chips").querySelector("li:last-child button") ?? $("add-seat")).focus();
}

function changeWords(told) {
  const about = told.exact ? "" : "about ";
  const bits = told.bits === null || Math.abs(told.bits) < 0.005 ? "" : `${about}${told.bits >= 0 ? "−" : "+"}${Math.abs(told.bits).toFixed(2)} bits`;
  const small = element("small", {}, bits);
  told.moved.slice(0, 3).forEach(([card, seat, old, now], index) => small.append(index || bits ? "; " : "", cardText(card), ` ${seat} ${percent(old)}→${percent(now)} %`));
  return [small];
}

function takeBack(number, sentence) {
  change(() => state.evidence.splice(number, 1), `Taken back: ${sentence}.`);
}

function renderConflict() {
  const conflict = board?.conflict;
  const alert = $("conflict");
  const chips = conflict?.chips.length === 1 ? "The chip in question is" : "The chips in question are";
  const words = conflict ? `${conflict.message} ${chips} marked${two.matches ? "" : " under Add"}; nothing is lost.` : "";
  if (alert.textContent !== words) alert.textContent = words;
  alert.hidden = !conflict;
}

// --- answers ---

function buildHeat(into, name) {
  const cells = new Map();
  const head = element("tr", {}, element("th", { scope: "col" }, spoken("seat")), ...[...RANKS].map((rank) => element("th", { scope: "col" }, rankOf(`S${rank}`))));
  const table = element("table", { class: "heat" }, element("caption", { class: name ? "" : "sr" }, name || "Percent for each card and seat"), element("thead", {}, head));
  for (const suit of SUITS) {
    const body = element("tbody");
    for (const seat of SEATS) {
      const row = element("tr", { "data-seat": seat }, element("th", { scope: "row" }, symbol(suit), spoken(SUIT_NAMES[suit]), " ", element("abbr", { title: NAMES[seat] }, seat)));
      for (const rank of RANKS) {
        const cell = element("td", { "data-place": `${suit}${rank}-${seat}` });
        cells.set(`${suit}${rank}${seat}`, cell);
        row.append(cell);
      }
      body.append(row);
    }
    table.append(body);
  }
  into.append(table);
  return cells;
}

function fillHeat(cells, shares) {
  const gone = played();
  const open = openHands();
  CARDS.forEach((card, index) => {
    const lies = place(card);
    SEATS.forEach((seat, column) => {
      const share = shares?.[index]?.[column];
      const cell = cells.get(card + seat);
      const known = !open[seat] && (lies !== null || gone.has(card));
      const text = share === undefined ? "" : !known ? percent(share) : gone.get(card) === seat ? "×" : "·";
      cell.parentElement.hidden = seat in open;
      if (cell.textContent === text) return;
      cell.textContent = text;
      cell.style.setProperty("--p", share === undefined ? "0" : String(Math.round(100 * share)));
      cell.classList.toggle("strong", share > 0.55);
      cell.classList.toggle("known", known);
    });
  });
}

let heat = null;
function renderHeat() {
  const cards = complete() ? answer.cards : null;
  if (cards || !complete()) for (const cell of document.querySelectorAll("#heat .far")) if (news !== write(state, false)) cell.classList.remove("far");
  fillHeat(heat, cards?.cards);
  $("exact").hidden = !cards;
  $("how-short").textContent = cards ? stageWords(cards) : "";
  $("how").textContent = cards ? cards.how.join(" ") : "";
  renderHands();
  renderCompass();
  renderPicker();
}

function stageWords(cards) {
  if (cards.stage === "exact") return `Exact: ${spaced(cards.layouts)} layouts fit`;
  const most = `± ${(50 / Math.sqrt(cards.ess)).toFixed(1)} % at most, from ${spaced(cards.draws)} draws`;
  return cards.stage === "first" ? `A first look, ${most}; more follow` : `Estimated, ${most}`;
}

function renderHands() {
  const cards = complete() ? answer.cards : null;
  const table = $("hands");
  if (!cards) return table.replaceChildren(), $("points").replaceChildren();
  const hidden = SEATS.filter((seat) => !(seat in openHands()));
  const lengths = (seat, suit) => cards.lengths[SEATS.indexOf(seat)]["CDHS".indexOf(suit)];
  const rows = hidden.map((seat) => [NAMES[seat], ...SUITS.map((suit) => spread(lengths(seat, suit), 9))]);
  ranked(table, [spoken("seat"), ...SUITS.map((suit) => [symbol(suit), spoken(SUIT_NAMES[suit])])], rows);
  const points = answer.points ? hidden.map((seat) => {
    const shares = answer.points.points[SEATS.indexOf(seat)];
    const [low, high] = interval(shares, 0.8);
    return element("div", {}, element("p", {}, `${NAMES[seat]}: ${mean(shares).toFixed(1)} points, ${low} to ${high}`), plot(shares, 26));
  }) : [];
  $("points").replaceChildren(...points);
  $("points-exact").textContent = answer.points ? (answer.points.exact ? "Points are exact." : "Points are estimated from draws.") : "";
}

function spread(shares, most) {
  const [low, high] = interval(shares, 0.8);
  return [mean(shares).toFixed(1), element("small", {}, low === high ? "" : ` ${low}–${high}`), plot(shares, most)];
}

function plot(shares, most) {
  const top = Math.max(...shares);
  const bars = element("div", { class: "plot", "aria-hidden": "true" });
  shares.slice(0, most).forEach((share, value) => {
    const bar = element("i", { title: `${value}: ${figure(share)}`, "data-value": value % 5 ? null : value });
    bar.style.setProperty("--w", String((100 * share) / top));
    bars.append(bar);
  });
  return bars;
}

function interval(shares, least) {
  let low = shares.indexOf(Math.max(...shares));
  let high = low;
  let sum = shares[low];
  while (sum < least && (low > 0 || high < shares.length - 1)) {
    if ((shares[low - 1] ?? -1) >= (shares[high + 1] ?? -1)) sum += shares[--low];
    else sum += shares[++high];
  }
  return [low, high];
}

function bars(table, rows) {
  const top = Math.max(...rows.map(([, share]) => share), 1e-9);
  table.replaceChildren(
    element("tbody", {}, ...rows.map(([name, share, style]) => {
      const bar = element("i");
      bar.style.setProperty("--w", String((100 * share) / top));
      return element("tr", { class: style ?? "" }, element("th", { scope: "row" }, name), element("td", {}, figure(share)), element("td", { class: "track", "aria-hidden": "true" }, bar));
    })),
  );
}

function renderCaptures() {
  const told = answer.captures;
  const rows = Object.entries(told.pmf).map(([value, share]) => [`T = ${value}`, share]);
  if ($("paper").dataset.players !== String(four())) $("paper").open = !four();
  $("paper").dataset.players = String(four());
  if (told.fails) rows.unshift(["conditions fail", told.fails]);
  bars($("captures"), rows);
  const average = told.mean === null ? "The conditions never hold." : `T is ${told.mean.toFixed(2)} on average${told.fails ? " where its conditions hold" : ""}.`;
  $("captures-words").textContent = `${told.title}. ${average} ${told.exact ? "Exact." : "Estimated from draws."}`;
  $("captures-notes").textContent = told.notes.join(" ");
}

function renderContract() {
  const contracts = [["", board?.contract ? `the auction's, ${board.contract}` : "none yet: choose one"]];
  for (let level = 1; level <= 7; level++) for (const strain of STRAINS) contracts.push([`${level}${strain}`, `${level}${SYMBOLS[strain] ?? strain}`]);
  const [contract, , declarer] = (state.contract ?? "").split(" ");
  options($("contract"), contracts, contract.replace(/X+$/, ""));
  options($("declarer"), SEATS.filter((seat) => seat !== dummy()).map((seat) => [seat, NAMES[seat]]), declarer ?? board?.contract?.split(" ")[2] ?? observer());
  $("declarer").disabled = !state.contract;
  if (!state.contract && !board?.contract) {
    $("odds").textContent = "";
    $("caution-field").hidden = true;
    $("tricks-pmf").replaceChildren();
    delete answer.tricks;
  }
}

function renderTricks() {
  const told = answer.tricks;
  if (told.refused) {
    $("odds").textContent = told.refused;
    return $("tricks-pmf").replaceChildren();
  }
  $("odds").textContent = `${told.contract}: ${told.sentence}`;
  bars($("tricks-pmf"), told.pmf.map((share, tricks) => [`${tricks} tricks`, share, tricks >= told.needed ? "made" : ""]).filter(([, share]) => share >= 0.0005));
  $("caution").textContent = `${told.title}, double dummy. ${told.caution}`;
  $("caution-field").hidden = false;
}

const line = ([first, ...rest]) => element("tr", {}, element("th", { scope: "row" }, first), ...rest.map((cell) => element("td", {}, ...[cell].flat())));

function ranked(table, header, rows) {
  const head = element("tr", {}, ...header.map((name) => element("th", { scope: "col" }, ...[name].flat())));
  table.replaceChildren(...(rows.length ? [element("thead", {}, head), element("tbody", {}, ...rows.map(line))] : []));
}

const error = (value, digits) => (value ? ` ± ${value.toFixed(digits)}` : "");

function renderContracts() {
  const told = answer.contracts;
  $("contracts-panel").hidden = !told;
  if (!told) return;
  const rows = (told.rows ?? []).map((row) => [contractText(row.contract), figure(row.make), row.tricks.toFixed(1), `${row.score.toFixed(0)}${error(row.score_error, 0)}`]);
  ranked($("contracts"), ["contract", "makes", "tricks", "score"], rows);
  $("contracts-notes").textContent = told.refused ?? `Scores of ${told.scheme}. ${told.caution}`;
}

function noLeads() {
  // Why no card is ranked.
  if (!board || !board.auction.over) return "Cards are ranked here once the auction is over, whenever you choose one, for the dummy too.";
  if (!board.contract) return "The deal is passed out: nobody plays.";
  if (board.play.over) return "All cards are played.";
  if (chooses() && asking) return "The cards are being ranked …";
  return `${NAMES[board.play.turn]} is to play. Cards are ranked here whenever you choose one, for the dummy too.`;
}

function renderCall() {
  // Experts' shares of the calls while the chosen seat is to call, above the bidding box of every seat.
  const turn = board && !board.auction.over ? board.auction.turn : null;
  $("call-panel").hidden = !turn;
  if (!turn) return;
  $("h-call").textContent = turn === observer() ? "Your call" : `${NAMES[turn]}'s call`;
  const told = turn === observer() ? answer.calls : null;
  $("calls").hidden = $("value-calls").hidden = !told;
  for (const id of SHOWN.values) $(id).hidden = !told;
  $("calls-words").textContent = told ? callNotes(told) : "Click what is called.";
  if (told) bars($("calls"), told.rows.map((row) => [callText(row.call), row.share]));
}

function callNotes(told) {
  const others = Math.max(0, 1 - told.rows.reduce((sum, row) => sum + row.share, 0));
  const rest = told.fewer ? ` The other ${many(told.fewer, "call")}: ${figure(others)} together.` : "";
  return `${told.bidder}${rest}`;
}

function renderLeads() {
  const told = answer.leads;
  renderTabs();
  if (!told) {
    $("leads").replaceChildren();
    $("leads-words").textContent = "";
    $("h-leads").textContent = "What to play";
    $("leads-notes").textContent = noLeads();
    return;
  }
  const cards = (row) => element("span", {}, ...row.cards.flatMap((card) => [cardText(card), " "]));
  const chance = (told.cards ?? []).some((row) => "make" in row) ? "make" : "beaten";
  const rows = (told.cards ?? []).map((row) => [cards(row), figure(row[chance]), `${row.tricks.toFixed(2)} tricks`, row.close ? "may be best" : ""]);
  ranked($("leads"), ["card", chance === "make" ? "makes" : "beaten", chance === "make" ? "declarer" : "defence", ""], rows);
  $("h-leads").textContent = told.title ?? "What to play";
  $("leads-words").textContent = [told.sentence, ...(told.plan ?? [])].filter(Boolean).join(" ");
  $("leads-notes").textContent = told.refused ?? told.caution + (sharpening ? " More are being solved while you watch." : "");
}

// --- two beliefs ---

function keep() {
  if (!answer.cards || board?.conflict) return say("There is no belief to keep yet.");
  kept = { hash: write(state, false), answer: { ...answer }, chips: board.chips.length };
  change(() => (state.compare = kept.hash), "Kept as A: now change the position.");
  renderCompare();
}

async function recall() {
  // The belief A of a link: asked for as a tab of its own.
  if (!state.compare || kept?.hash === state.compare) return;
  const hash = state.compare;
  const found = {};
  try {
    for await (const [name, document_] of transport.ask(`${TAB}-a`, { question: question(read(hash)) })) {
      found[name] = document_;
      if (name === "captures") break;
    }
  } catch {
    return;
  }
  if (state.compare === hash && found.cards) kept = { hash, answer: found, chips: read(hash).evidence.length };
  renderCompare();
}

function renderCompare() {
  const on = Boolean(state.compare && kept?.hash === state.compare && answer.cards);
  $("compare").hidden = !on;
  $("swap").hidden = $("drop-a").hidden = !state.compare;
  $("compare-words").textContent = on ? `A: ${kept.chips} chips, B: ${state.evidence.length} chips, as it stands now.` : "Keep a belief, change the position, and both stand here side by side.";
  if (!on) return;
  const a = kept.answer;
  const rows = [["unknown, in bits", a.cards.bits?.toFixed(2) ?? "–", answer.cards.bits?.toFixed(2) ?? "–"]];
  for (const seat of SEATS.filter((one) => one !== observer())) {
    const at = SEATS.indexOf(seat);
    const points = (told) => (told ? mean(told.points[at]).toFixed(2) : "–");
    rows.push([`points of ${NAMES[seat]}`, points(a.points), points(answer.points)]);
  }
  rows.push(["T on average", a.captures?.mean?.toFixed(2) ?? "–", answer.captures?.mean?.toFixed(2) ?? "–"]);
  const far = CARDS.flatMap((card, index) => SEATS.map((seat, column) => [card, seat, a.cards.cards[index][column], answer.cards.cards[index][column]]));
  far.sort((x, y) => Math.abs(y[3] - y[2]) - Math.abs(x[3] - x[2]));
  for (const [card, seat, old, now] of far.slice(0, 8)) {
    if (Math.abs(old - now) >= 0.0005) rows.push([element("span", {}, cardText(card), ` with ${NAMES[seat]}`), figure(old), figure(now)]);
  }
  const table = element("table");
  ranked(table, [spoken("what"), "A", "B"], rows);
  const pair = element("div", { class: "two" });
  for (const [name, told] of [["A", a], ["B", answer]]) {
    const side = element("div");
    fillHeat(buildHeat(side, name), told.cards.cards);
    pair.append(side);
  }
  $("compare").replaceChildren(table, pair);
}

// --- layouts, files, downloads ---

async function once(kind, document_, refuse = say) {
  try {
    const told = await transport.once(kind, document_);
    if (!told.message) return told;
    refuse(told.message);
  } catch {
    say("The server does not answer (is it running?).");
  }
  return null;
}

let dealt = 0;
async function deal() {
  const position = write(state, false);
  const told = await once("layouts", { question: { ...question(), number: 6, seed: ++dealt } });
  if (!told || position !== write(state, false)) return;
  fresh("layouts");
  $("layouts-words").textContent = "";
  $("layouts").replaceChildren(
    ...told.layouts.map((hands, number) =>
      element("div", { class: "layout", role: "group", "aria-label": `Layout ${number + 1}` }, ...SEATS.map((seat, at) => element("p", {}, element("b", {}, seat), " ", ...hands[at].split(".").flatMap((ranks, row) => [symbol(SUITS[row]), `${ranks || "–"} `])))),
    ),
  );
  say("Six layouts, drawn by how likely they are.");
}

async function download(kind, name, type) {
  say(kind === "report" ? "Drawing the report …" : "");
  const told = await once(kind, { question: question() });
  if (!told) return;
  const address = URL.createObjectURL(new Blob([told.text], { type }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  say(`${name} is downloaded.`);
}

function renderTake() {
  $("link").value = transport.link();
  $("link").parentElement.hidden = $("copy").hidden = !transport.link();
  $("python").textContent = board?.python ?? "";
  const words = (board?.words ?? []).map((word) => (/^[\w.:+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`));
  $("command").textContent = board ? `bayesbridge estimate ${words.join(" ")}` : "";
  $("models").textContent = !board?.bidder
    ? ""
    : [`Calls are judged by ${board.bidder}.`, board.player ? `Cards are judged by ${board.player}.` : "Cards say no more than where they lie.", ...board.systems.map((system) => `Assumed to play: ${system}.`), board.assumed.length ? `Taken to have passed: ${board.assumed.join(", ")}.` : ""].join(" ");
}

let record = null;
const opened = () => record.boards[Number($("board").value)];
const loaded = []; // styles of files

const refuseEntry = (message) => fault("entry", "entry-error", message);

async function load(file) {
  if (!file) return;
  if (file.size > 1_500_000) return refuseEntry("The file is too large: 1.5 MB at most.");
  take(file.name, await file.text());
}

async function take(name, text, refuse = refuseEntry) {
  // A hand, an auction, a link, a record, a position or a style: the server says which, and what it becomes.
  const link = /#((?:observer|hand|players)=\S+)/.exec(text);
  if (link && !name) {
    $("entry").value = "";
    return change(() => (state = open((home = link[1]))), "The position of the link.");
  }
  const asked = question();
  if (!complete()) delete asked.settings.hand;
  const told = await once("entry", { name, text, question: asked }, refuse);
  if (!told) return;
  refuse("");
  $("entry").value = $("dummy-hand").value = "";
  if (told.text) {
    loaded.push(told.text);
    if (!four()) return refuse("A style is for four players: choose them first.");
    return tell("style", "NS".includes(observer()) ? "EW" : "NS", told.text);
  }
  if (!told.boards) {
    const { settings, evidence } = told;
    const laid = evidence.some(([kind]) => kind === "play");
    if (!laid) close();
    change(() => (state = { ...state, settings, evidence, first: laid ? state.first : null, contract: laid ? state.contract : null, show: laid ? state.show : null }), "");
    if (!laid) home = write(state);
    mode = evidence.length ? "play" : "holds";
    renderOpening(told.opening, settings);
    return say(name ? `${name} is loaded.` : complete() ? "Taken; Undo brings back what was there." : "Taken: your hand is still to come.");
  }
  record = { ...told, name, text };
  forget();
  renderStepper("0");
  viewers();
  step(0);
  const more = told.left_out ? `; ${told.left_out} more are left out` : "";
  say(`${told.boards.length} ${told.boards.length === 1 ? "board" : "boards"}${more}.${told.notes.length ? ` Not read: ${told.notes[0]}` : ""}`);
}

function renderOpening(told, settings) {
  // How a typed auction was read, and the other ways to read it, one click away.
  $("opening").hidden = !told;
  if (!told) return;
  $("opening").classList.toggle("doubt", told.doubt);
  $("opening-words").textContent = told.doubt ? `${told.sentence} Your hand hardly goes with that: who opened?` : told.sentence;
  const buttons = told.openers.map(([seat, words]) =>
    element("button", { type: "button", "aria-pressed": String(seat === told.opener), on: { click: () => take("", `${seat}:${told.auction}`) } }, words),
  );
  $("openers").replaceChildren(...buttons);
  $("hint").classList.add("away");
}

function renderStepper(chosen) {
  const named = record.boards.map((one, index) => [String(index), `${one.board || index + 1} ${one.room}`.trim()]);
  $("stepper").hidden = false;
  options($("board"), named, chosen);
}

// A record stays with its tab: where it was, and what was judged of its play.
function remember() {
  try {
    if (!record) sessionStorage.removeItem("record");
    else sessionStorage.setItem("record", JSON.stringify({ record, board: $("board").value, viewer: $("viewer").value, at: $("step").value, reviewed }));
  } catch {
    // a browser that keeps nothing, or not so much
  }
}

function recover() {
  let saved = null;
  try {
    saved = JSON.parse(sessionStorage.getItem("record"));
  } catch {
    // a browser that keeps nothing
  }
  if (!saved) return;
  ({ record, reviewed } = saved);
  renderStepper(saved.board);
  options($("viewer"), Object.keys(opened().views).map((seat) => [seat, NAMES[seat]]), saved.viewer);
  renderStep(Number(saved.at));
  if (!reviewed) return;
  $("review").hidden = false;
  reviewed.cards.forEach(judged);
  renderReview();
}

function close() {
  if (!record) return;
  forget();
  record = null;
  $("stepper").hidden = true;
  remember();
}

function viewers() {
  const seats = Object.keys(opened().views);
  const wanted = seats.includes($("viewer").value) ? $("viewer").value : seats.includes("S") ? "S" : seats[0];
  options($("viewer"), seats.map((seat) => [seat, NAMES[seat]]), wanted);
}

function step(to) {
  const one = opened();
  const view = one.views[$("viewer").value];
  const last = view.pieces.length;
  const at = Math.min(Math.max(to, 0), last);
  renderStep(at);
  change(() => {
    state.settings = { ...how(), observer: $("viewer").value, hand: view.hand, players: "4" };
    if (one.vulnerable !== "None") state.settings.vulnerable = one.vulnerable;
    state.evidence = view.pieces.slice(0, at);
    state.first = one.dealer;
    state.contract = null;
  }, at ? view.pieces[at - 1].join(" ") : `Board ${one.board}, before the auction.`);
}

function renderStep(at) {
  const one = opened();
  const last = one.views[$("viewer").value].pieces.length;
  $("step").max = String(last);
  $("step").value = String(at);
  const contract = one.contract ? `; the contract was ${one.contract}` : "";
  const result = one.result === null ? "" : `, ${many(one.result, "trick")}`;
  $("step-words").textContent = `Step ${at} of ${last}${contract}${result}.`;
  remember();
}

let reviewing = null;
let reviewed = null; // {cards, of, summary}: what was judged of the play
function forget() {
  reviewing?.abort();
  reviewed = null;
  $("review").hidden = true;
  ranked($("costly"), [], []);
  ranked($("by-player"), [], []);
}

function renderReview() {
  // The cards stand there one by one; what is said of them, and the players' table.
  const { cards, of, summary } = reviewed;
  const words = (text) => ($("review-words").textContent = text);
  if (!summary) {
    const count = reviewed.last;
    return words(reviewing ? `${count} of ${of} cards are judged …` : count ? `Stopped after ${many(count, "card")} of ${of}.` : "Stopped before the first card was judged.");
  }
  words(`${cards.length ? "Click a card to see the moment." : "No card was costly."} Cost: tricks on average, by what its player could know then. ${summary.note}`);
  ranked($("by-player"), ["player", "choices", "costly", "tricks lost", "unlucky", "double dummy"], summary.rows);
}

async function review() {
  if (reviewing) return reviewing.abort();
  const mine = (reviewing = new AbortController());
  const { number, vulnerable } = opened();
  const { name, text } = record;
  const words = (message) => ($("review-words").textContent = message);
  $("start-review").textContent = "Stop the review";
  forgetCards();
  words("Judging the first card …");
  $("review").hidden = false;
  show("play");
  let refused = false;
  try {
    for await (const [event, told] of transport.ask(TAB, { name, text, board: number, question: { settings: { ...how(), vulnerable } } }, mine.signal, "review")) {
      if (mine.signal.aborted) break;
      if (event === "judged") {
        Object.assign(reviewed, { last: told.number + 1, of: told.of });
        if (told.verdict) {
          reviewed.cards.push(told);
          judged(told);
        }
        renderReview();
      } else if (event === "review") {
        reviewed.summary = told;
        renderReview();
        say("The play is reviewed.");
      } else if (event === "refused") {
        refused = true;
        words(told.message);
      }
    }
  } catch {
    refused = !mine.signal.aborted;
    if (refused) words("The server does not answer (is it running?).");
  } finally {
    reviewing = null;
    $("start-review").textContent = "Review the play";
    if (reviewed && !refused) renderReview();
    if (refused) reviewed = null;
    remember();
  }
}

function forgetCards() {
  reviewed = { cards: [], last: 0, of: 0, summary: null };
  ranked($("costly"), [], []);
  ranked($("by-player"), [], []);
}

function judged(told) {
  const go = () => {
    const { pieces } = opened().views[($("viewer").value = told.player)];
    step(pieces.flatMap(([kind], at) => (kind === "play" ? [at] : []))[told.number]);
    for (const one of $("costly").querySelectorAll("button")) one.setAttribute("aria-current", String(one === button));
  };
  const button = element("button", { type: "button", on: { click: go } }, `${told.trick} ${NAMES[told.seat]} `, cardText(told.card));
  const costly = told.verdict === "costly";
  const cost = told.cost < 0.005 ? "<0.01" : told.cost.toFixed(2) + error(told.cost_error, 2);
  const row = [button, costly ? cardText(told.best) : "–", costly ? cost : "unlucky", told.double_dummy_cost ?? "–"];
  if ($("costly").rows.length) $("costly").tBodies[0].append(line(row));
  else ranked($("costly"), ["trick, card", "better", "cost", "double dummy"], [row]);
}

// --- wiring ---

function setting(name, value) {
  change(() => {
    if (value === "" || value === null) delete state.settings[name];
    else state.settings[name] = value;
  }, `${name}: ${value || "as usual"}.`);
}

function wire() {
  const on = (id, event, act) => $(id).addEventListener(event, act);
  on("skip", "click", () => $("answers").focus());
  on("undo", "click", () => back(done, undone, "undo"));
  on("redo", "click", () => back(undone, done, "redo"));
  const start = (link, words) => change(() => ((state = read(link)), (mode = state.evidence.length ? "play" : "hand")), words);
  on("reset", "click", () => start(home, "From the start again; Undo brings yours back."));
  on("clear", "click", () => (close(), start(MOMENTS.own.link, "All is cleared; Undo brings yours back.")));
  on("moment", "change", () => (close(), start(MOMENTS[$("moment").value].link, "")));
  on("enter", "submit", (event) => (event.preventDefault(), take("", $("entry").value)));
  on("entry", "keydown", (event) => event.key === "Enter" && !event.shiftKey && (event.preventDefault(), $("enter").requestSubmit()));
  on("players", "change", () =>
    change(() => {
      const { settings } = state;
      if ($("players").value === "4") {
        settings.players = "4";
        delete settings.dummy;
        delete settings.bidder;
        delete settings.slip;
      } else for (const name of ["players", "vulnerable", "system", "style", "bidder", "slip", "player"]) delete settings[name];
      state.evidence = state.evidence.filter(([kind]) => kind !== "call" && kind !== "play");
      state.contract = null;
    }, "Another game: its calls and cards begin anew; Undo brings the old ones back."),
  );
  for (const name of ["observer", "dummy", "bidder", "player", "slip"]) on(name, "change", () => setting(name, $(name).value.trim()));
  on("first", "change", () => change(() => (state.first = $("first").value), `${NAMES[$("first").value]} calls first.`));
  on("vulnerable", "change", () => setting("vulnerable", $("vulnerable").value === "None" ? "" : $("vulnerable").value));
  for (const side of ["NS", "EW"]) for (const kind of MANY) on(`${kind}-${side}`, "change", (event) => tell(kind, side, event.target.value));
  on("seat", "change", renderPicker);
  on("mode", "change", () => {
    mode = $("mode").value;
    draft.clear();
    renderSettings();
    if (mode === "reveal" && board?.play.opens) $("seat").value = board.play.opens;
    renderPicker();
  });
  on("contract", "change", () => change(() => (state.contract = $("contract").value ? `${$("contract").value} by ${$("declarer").value}` : null), ""));
  on("declarer", "change", () => change(() => (state.contract = `${$("contract").value} by ${$("declarer").value}`), ""));
  on("add-kind", "change", facts);
  on("add", "submit", (event) => {
    event.preventDefault();
    const [seat, kind, suit] = [$("add-seat").value, $("add-kind").value, $("add-suit").value];
    const range = `${$("add-low").value || 0}-${$("add-high").value || 40}`;
    const text = { void: `${seat}:${suit}`, length: `${seat}:${suit}:${range}`, hcp: `${seat}:${range}`, shape: `${seat}:${$("add-shape").value}` }[kind] ?? $("add-text").value;
    addFact(kind, text);
  });
  on("add", "input", () => fault("add", "fact-error", ""));
  on("stop", "click", stop);
  on("value-calls", "click", valueCalls);
  on("lay", "submit", (event) => (event.preventDefault(), take("", `${board.play.opens}: ${$("dummy-hand").value}`, (message) => fault("dummy-hand", "dummy-error", message))));
  on("click-dummy", "click", () => {
    $("mode").value = "reveal";
    $("mode").dispatchEvent(new Event("change"));
    if (!two.matches) show("add");
  });
  on("keep", "click", keep);
  on("drop-a", "click", () => ((kept = null), change(() => (state.compare = null), "A is forgotten."), renderCompare()));
  on("swap", "click", () => {
    const here = write(state, false);
    const there = state.compare;
    kept = { hash: here, answer: { ...answer }, chips: state.evidence.length };
    change(() => (state = { ...read(there), show: state.show, compare: here }), "A and B have changed places.");
  });
  on("deal", "click", deal);
  on("copy", "click", async () => {
    $("link").select();
    try {
      await navigator.clipboard.writeText($("link").value);
      say("The link is copied.");
    } catch {
      say("The link is marked: copy it by hand.");
    }
  });
  on("get-toml", "click", () => download("toml", "position.toml", "application/toml"));
  on("get-report", "click", () => download("report", "report.html", "text/html"));
  on("file", "change", (event) => load(event.target.files[0]));
  on("board", "change", () => (forget(), viewers(), step(0)));
  on("start-review", "click", review);
  on("viewer", "change", () => step(Number($("step").value)));
  on("step", "input", () => step(Number($("step").value)));
  for (const [name, by] of [["first", -999], ["back", -1], ["next", 1], ["last", 999]]) on(`step-${name}`, "click", () => step(Number($("step").value) + by));
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dragging");
  });
  document.addEventListener("dragleave", () => document.body.classList.remove("dragging"));
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dragging");
    load(event.dataTransfer.files[0]);
  });
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || /^(INPUT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (event.key === "z" && !event.shiftKey) back(done, undone, "undo");
    else if (event.key === "y" || (event.key === "Z" && event.shiftKey)) back(undone, done, "redo");
    else return;
    event.preventDefault();
  });
  transport.moved((link) => {
    if (link === write(state)) return;
    // The browser's own way back and forth goes through the same changes as Undo and Redo.
    if (link && link === done.at(-1)) return back(done, undone, "undo");
    if (link && link === undone.at(-1)) return back(undone, done, "redo");
    done.push(write(state));
    undone.length = 0;
    state = open(link || home);
    moved();
    recall();
  });
}

let checking = false;
async function addFact(kind, text) {
  // The server reads it first, so that what it cannot read never becomes a chip.
  checking = true;
  document.documentElement.dataset.busy = "1";
  const fact = await once("fact", { question: {}, fact: [kind, text] }, (message) => fault("add", "fact-error", message));
  checking = false;
  if (fact) add(fact.kind, fact.text, "Added.");
  else if (!asking) delete document.documentElement.dataset.busy;
}

function facts() {
  const kind = $("add-kind").value;
  $("add-suit-field").hidden = !["void", "length"].includes(kind);
  $("add-low-field").hidden = $("add-high-field").hidden = !["length", "hcp"].includes(kind);
  $("add-shape-field").hidden = kind !== "shape";
  const typed = !["void", "length", "hcp", "shape"].includes(kind);
  $("add-text-field").hidden = !typed;
  $("add-seat-field").hidden = typed;
  if (typed) [$("add-text").value, $("add-text").title] = [about.kinds[kind].example, about.kinds[kind].help];
  if (kind === "length") [$("add-low").value, $("add-high").value] = [5, 13];
  if (kind === "hcp") [$("add-low").value, $("add-high").value] = [12, 14];
}

function colours() {
  // How many colours the suits have is the reader's choice, kept by the browser and no part of a position.
  try {
    $("four").checked = localStorage.getItem("suits") === "four";
    $("four").addEventListener("change", () => localStorage.setItem("suits", $("four").checked ? "four" : "two"));
  } catch {
    // a browser that keeps nothing
  }
}

function begin(chosen) {
  transport = chosen;
  colours();
  buildTabs();
  buildPicker();
  buildBox();
  heat = buildHeat($("heat"), "");
  options($("add-kind"), KINDS.filter((kind) => !CLICKED.includes(kind)).map((kind) => [kind, about.kinds[kind].verb]));
  facts();
  if (transport.read()) state = open((home = transport.read()));
  if (state.evidence.some(([kind]) => kind === "play")) mode = "play";
  wire();
  setInterval(renderBusy, 1000);
  recover();
  moved();
  recall();
}

// For measurements: milliseconds from each click to its heat map.
globalThis.explorer = { timings, asked: 0, shown: 0, idle: () => explorer.shown === explorer.asked || !complete() };
if (location.protocol !== "about:") begin(server);
else addEventListener("message", ({ data, ports }) => begin(kernel(ports[0], data)), { once: true });
