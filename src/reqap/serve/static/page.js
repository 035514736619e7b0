// The page: asks, watches what happens, and shows what comes. No data is kept here.
"use strict";

const at = (name) => document.getElementById(name);
const root = document.documentElement.dataset.root; // all pages lie below it
let running = null; // the number of what is under way
let last = 0; // the number of the last answer that can be followed up on

async function send(place, given) {
  const answer = await fetch(root + place, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify(given || {}),
  });
  const told = await answer.json();
  if (!answer.ok) throw new Error(told.problem || "This did not work");
  return told;
}

async function fetched(place) {
  const answer = await fetch(root + place, { headers: { "x-part": "1" } });
  if (answer.ok) return answer.text();
  throw new Error((await answer.json()).problem || "This did not work");
}

function news(text) {
  const place = at(at("detail").open ? "detail-news" : "news"); // nothing outside a dialog is seen
  place.textContent = text;
  clearTimeout(news.timer);
  news.timer = setTimeout(() => { place.textContent = ""; }, 6000);
}

// Server text is escaped where it is made; only such HTML comes here.
function show(place, html) {
  place.innerHTML = html;
}

// Browsers keep six connections at most for all tabs together: who waits in the queue holds none.
async function begun(run, hear) {
  for (;;) {
    const state = await (await fetch(`${root}/runs/${run}/state`)).json();
    if (state.begun || state.problem) return;
    if (hear.queued) hear.queued(state);
    await new Promise((done) => setTimeout(done, 500));
  }
}

async function watch(run, hear) {
  await begun(run, hear);
  return new Promise((done, failed) => {
    const source = new EventSource(`${root}/runs/${run}`);
    for (const [name, heard] of Object.entries(hear)) {
      source.addEventListener(name, (event) => heard(JSON.parse(event.data)));
    }
    source.addEventListener("done", (event) => { source.close(); done(JSON.parse(event.data)); });
    source.addEventListener("failed", (event) => { source.close(); failed(new Error(JSON.parse(event.data).text)); });
    source.addEventListener("stopped", () => { source.close(); failed(new Error("Stopped.")); });
    source.onerror = () => {
      if (source.readyState === EventSource.CLOSED) failed(new Error("The server does not answer."));
    };
  });
}

// A short line was put into the last question: what it became, and a way to ask it as it was typed.
function meant(data) {
  const full = document.createElement("strong"), button = document.createElement("button");
  full.textContent = data.question;
  button.type = "button";
  button.className = "quiet";
  button.dataset.question = data.typed;
  button.textContent = `Ask “${data.typed}” as it was typed`;
  at("meant").replaceChildren(`“${data.typed}” was taken to mean: `, full, " ", button);
  if (at("question").value === data.typed) at("question").value = data.question;
}

// What an answer leaves: it can be followed up on, if it was understood; the next line replaces it.
function after() {
  const answer = document.querySelector(".answer"), box = at("question");
  if (!["ok", "no_data"].includes(answer.dataset.status) || !box) return;
  last = answer.dataset.question ? Number(answer.dataset.number) : 0;
  at("hint").hidden = !last;
  if (document.activeElement === box) box.select();
}

async function answered(place, given) {
  const growing = at("growing"), tree = at("tree"), words = at("words"), state = at("state");
  const stop = at("stop");
  const { run } = await send(place, given); // what is refused leaves the page as it is
  running = run;
  if (at("detail").open) at("detail").close();
  growing.hidden = false;
  if (at("examples")) at("examples").hidden = true; // room for the answer
  show(tree, "");
  show(at("answer"), "");
  if (at("meant")) show(at("meant"), "");
  words.textContent = "";
  state.textContent = "Understanding the question …";
  if (stop) stop.hidden = false;
  try {
    const found = await watch(run, {
      queued: (data) => { if (data.ahead) state.textContent = `${data.ahead} before this one …`; },
      meant,
      began: () => { state.textContent = "Understanding the question …"; },
      words: (data) => { words.textContent = (words.textContent + data.text).slice(-300); },
      tree: (data) => { words.textContent = ""; show(tree, data.html); },
      ran: (data) => {
        state.textContent = "Looking it up …";
        const node = tree.querySelector(`[data-path="${CSS.escape(data.path)}"] > .step > .ran`);
        if (node) node.textContent = `${data.rows.toLocaleString("en")} · ${Math.round(data.milliseconds)} ms`;
      },
    });
    show(at("answer"), await fetched("/answers/" + found.number));
    growing.hidden = true;
    after();
  } catch (error) {
    state.textContent = error.message;
    words.textContent = "";
  } finally {
    running = null;
    if (stop) stop.hidden = true;
  }
}

async function imported(files) {
  const bar = at("bar"), state = at("state");
  const form = new FormData();
  for (const file of files) form.append("files", file, file.name);
  bar.hidden = false;
  state.textContent = "Taking the files …";
  try {
    const answer = await fetch(root + "/sources/import", { method: "POST", body: form, headers: { accept: "application/json" } });
    const told = await answer.json();
    if (!answer.ok) throw new Error(told.problem);
    const part = (what) => (data) => {
      bar.max = data.total || 1;
      bar.value = data.done;
      state.textContent = `${what} ${data.events === undefined ? "" : data.events.toLocaleString("en") + " events"}`;
    };
    const found = await watch(told.run, { import: part("Reading:"), index: part("Preparing the search") });
    const lines = found.sources.map((one) => `${one.title}: ${one.new} new, ${one.known} known`);
    if (found.unrecognised.length) lines.push(`not recognised: ${found.unrecognised.join(", ")}`);
    lines.push(...found.problems);
    sessionStorage.setItem("imported", lines.join(" · ") || "Nothing was found to import.");
    location.reload();
  } catch (error) {
    state.textContent = error.message;
    bar.hidden = true;
  }
}

// What the dialog shows, and what it showed before that; what comes too late is not shown.
let path = [], sought = 0;

async function detail(place, before = path) {
  const mine = ++sought, html = await fetched(place);
  if (mine !== sought) return;
  show(at("detail-body"), html);
  path = [...before, place];
  at("back").hidden = path.length < 2;
  if (!at("detail").open) at("detail").showModal();
  at("detail-body").focus(); // what had it may be gone
  at("detail").scrollTop = at("detail-body").scrollTop = 0;
}

// What buttons do, by the name of their data attribute.
const does = {
  question: (button) => {
    at("question").value = button.dataset.question;
    at("main").focus({ preventScroll: true }); // the button goes
    return answered("/ask", { question: button.dataset.question });
  },
  detail: (button) => detail(button.dataset.detail),
  back: () => (path.length > 1 ? detail(path.at(-2), path.slice(0, -2)) : null),
  judge: async (button) => {
    const pressed = button.getAttribute("aria-pressed") === "true";
    await send(`/answers/${button.closest(".answer").dataset.number}/judge`, { judgement: pressed ? "" : button.dataset.judge });
    for (const one of button.parentElement.querySelectorAll("button")) one.setAttribute("aria-pressed", String(one === button && !pressed));
  },
  drop: async (button) => {
    const answer = button.closest(".answer");
    await send(`/answers/${answer.dataset.number}/drop`, { event: button.dataset.drop });
    news("Dropped; the question is asked again without it.");
    await answered(`/answers/${answer.dataset.number}/again`);
  },
  run: async (button) => {
    const answer = button.closest(".answer"), problem = answer.querySelector(".problem");
    problem.textContent = "";
    try {
      await answered("/run", { plan: answer.querySelector("textarea").value, question: answer.dataset.question });
    } catch (error) { problem.textContent = error.message; }
  },
  undoPlan: async (button) => {
    await send(`/corrections/${button.dataset.undoPlan}/undo`);
    return answered(`/answers/${button.closest(".answer").dataset.number}/again`);
  },
  again: (button) => answered(`/answers/${button.dataset.again}/again`),
  undo: async (button) => { await send(`/corrections/${button.dataset.undo}/undo`); location.reload(); },
  forgetAsked: async (button) => { await send(`/answers/${button.dataset.forgetAsked}/forget`); location.href = root + "/history"; },
  forget: async (button) => {
    if (!confirm(`Forget everything of ${button.dataset.forget}?`)) return;
    const { run } = await send("/sources/forget", { source: button.dataset.forget });
    const found = await watch(run, {});
    sessionStorage.setItem("news", `${found.gone.toLocaleString("en")} events are forgotten.`);
    location.reload();
  },
};

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button");
  const name = button && Object.keys(does).find((one) => one in button.dataset);
  if (!name) return;
  try { await does[name](button); } catch (error) { news(error.message); }
});

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.method === "dialog") return;
  event.preventDefault();
  try {
    if (form.id === "ask" && at("question").value.trim()) await answered("/ask", { question: at("question").value, after: last });
    if (form.classList.contains("fix")) {
      await send("/values", { event: form.dataset.event, key: form.dataset.key, type_name: form.dataset.type, value: form.elements.value.value });
      at("kept").hidden = false;
    }
  } catch (error) { news(error.message); }
});

at("detail").addEventListener("close", () => { path = []; sought += 1; });

if (at("stop")) at("stop").addEventListener("click", () => { if (running) send(`/runs/${running}/stop`); });

if (at("import")) {
  const drop = at("import");
  at("files").addEventListener("change", () => imported(at("files").files));
  for (const name of ["dragover", "dragleave", "drop"]) {
    drop.addEventListener(name, (event) => { event.preventDefault(); drop.classList.toggle("over", name === "dragover"); });
  }
  drop.addEventListener("drop", (event) => imported(event.dataTransfer.files));
  at("state").textContent = sessionStorage.getItem("imported") || ""; // stays, to be read
  sessionStorage.removeItem("imported");
}

if (sessionStorage.getItem("news")) {
  news(sessionStorage.getItem("news"));
  sessionStorage.removeItem("news");
}
