/** What a typed line has to come to: something on stdout, or one line on stderr and nothing done. */
export interface Case {
  readonly line: string;
  /** On stdout. */
  readonly shows?: RegExp;
  /** On stderr; `misfit` is what every call that does not fit its usage is told. */
  readonly refuses?: RegExp | "misfit";
  /** On stderr, beside what it shows. */
  readonly beside?: string;
  /** Lines that are typed before it. */
  readonly after?: readonly string[];
}

/** A command as it is meant, with something missing, with something nobody knows, and with something too many. */
export type Four = readonly [right: Case, missing: Case, unknown: Case, superfluous: Case];

const shows = (line: string, text: RegExp, after: readonly string[] = []): Case => ({ line, shows: text, after });
const refuses = (line: string, text: RegExp): Case => ({ line, refuses: text });
const misfit = (line: string): Case => ({ line, refuses: "misfit" });

/**
 * The cases of every command that can be typed. Where nothing can be missing, the bare call stands; where any text will do,
 * what others would take for too much is part of it.
 * @param id of another stored session.
 */
export const casesFor = (id: string): Readonly<Record<string, Four>> => ({
  help: [
    shows("/help config", /^show and change the configuration\n {2}\/config get \[PATH\]\n/),
    shows("/help", /^\/help +list the commands/),
    refuses("/help cofnig", /^There is no command \/cofnig\. Did you mean \/config\? \/help lists them\.$/),
    misfit("/help config mode"),
  ],
  config: [
    shows("/config set temperature 0.5", /^temperature = 0\.5, from the next turn on\.$/),
    misfit("/config set temperature"),
    refuses("/config set temprature 1", /temprature is no configuration key\. Did you mean temperature\?$/),
    misfit("/config unset temperature now"),
  ],
  role: [
    shows("/role direct", /^role direct, from the next turn on\.$/),
    shows("/role", /^role direct \(direct, orchestrator\)$/),
    refuses(
      "/role orchestra",
      /There is no role "orchestra"\. Did you mean orchestrator\? The roles are: direct, orchestrator, worker, explorer\.$/,
    ),
    misfit("/role direct orchestrator"),
  ],
  mode: [
    shows("/mode full", /^mode full, from the next turn on\.$/),
    shows("/mode", /^mode full \(full, ask, plan\)$/),
    refuses("/mode sometimes", /There is no mode "sometimes"\. The modes are: full, ask, plan\.$/),
    misfit("/mode full ask"),
  ],
  model: [
    shows("/model scripted", /^model scripted of default \(override\)$/),
    shows("/model", /^model scripted of default \(override\)$/),
    shows("/model any-name-will-do", /^model any-name-will-do of default \(override\)$/), // who serves models knows their names
    misfit("/model one two"),
  ],
  models: [
    shows("/models", /scripted/),
    shows("/models --json", /scripted/),
    misfit("/models --nope"),
    shows("/models nowhere", /^none of 1 models has all these words in its name\n/),
  ],
  provider: [
    shows("/provider", /^model scripted of default/, ["/model scripted"]),
    shows("/provider", /^model scripted of default/),
    refuses("/provider nobody", /^There is no provider "nobody"\. None is configured; docs\/MODELS\.md shows how\.$/),
    misfit("/provider one two"),
  ],
  effort: [
    shows("/effort low", /^effort low, from the next turn on\.$/),
    shows("/effort", /^effort low, from the next turn on\.$/),
    misfit("/effort much"),
    misfit("/effort low high"),
  ],
  tools: [
    shows("/tools --role explorer", /^tools of explorer\n/),
    misfit("/tools --role"),
    refuses("/tools --role nobody", /There is no role "nobody"\./),
    misfit("/tools all"),
  ],
  policy: [
    shows("/policy explain direct git", /^deny: direct may not call git \(role matrix\)$/),
    misfit("/policy explain direct"),
    refuses("/policy explain nobody git", /There is no role "nobody"\./),
    misfit("/policy explain direct git bash"),
  ],
  jobs: [
    shows("/jobs", /^No job was handed out yet/),
    shows("/jobs", /^No job was handed out yet/),
    misfit("/jobs --nope"),
    misfit("/jobs all"),
  ],
  sessions: [
    shows(`/sessions show ${id}`, /earlier/),
    misfit("/sessions show"),
    refuses("/sessions show nothing-so", /No one session is meant by "nothing-so"\./),
    misfit(`/sessions show ${id} ${id}`),
  ],
  search: [
    shows("/search earlier", /earlier/),
    misfit("/search"),
    misfit("/search --kind nonsense earlier"),
    shows("/search earlier nowhere", /^Nothing in this project has all these words; --all looks in every project\.$/),
  ],
  memory: [
    shows("/memory", /^This project remembers nothing/),
    misfit("/memory show"),
    refuses("/memory show m0", /^This project has no memory "m0"\. \/memory lists them\.$/),
    misfit("/memory list all"),
  ],
  recall: [
    shows("/recall", /^Nothing is recorded in this session\.$/),
    shows("/recall", /^Nothing is recorded in this session\.$/),
    refuses("/recall plan", /^There is no key "plan" in this session\. \/recall lists them\.$/),
    refuses("/recall plan b", /^There is no key "plan b" in this session\. \/recall lists them\.$/),
  ],
  resume: [
    shows(`/resume ${id}`, new RegExp(`^resumed ${id}: earlier`)),
    shows("/resume", new RegExp(id)),
    refuses("/resume nothing-so", /No one session is meant by "nothing-so"\./),
    misfit(`/resume ${id} latest`),
  ],
  rename: [
    shows("/rename the parser", /the parser/),
    misfit("/rename"),
    misfit("/rename --nope x"),
    shows("/rename another name", /another name/),
  ],
  fork: [
    shows("/fork t1", /^going on in \w+, a copy of \w+ with 1 turn$/),
    shows("/fork", /^going on in \w+, a copy of \w+ with 1 turn$/),
    refuses("/fork t99", /has no finished turn "t99"; its turns are t1 to t1\.$/),
    misfit("/fork t1 t2"),
  ],
  export: [
    shows("/export talk.md", /^written to .*\/talk\.md$/),
    shows("/export", /^# /),
    misfit("/export --format nonsense"),
    misfit("/export a.md b.md"),
  ],
  delete: [
    shows(`/delete ${id}`, new RegExp(`^deleted ${id}: `)),
    misfit("/delete"),
    refuses("/delete nothing-so", /No one session is meant by "nothing-so"\./),
    misfit("/delete one two"),
  ],
  clear: [
    shows("/clear", /^Emptied; what was said stays stored\.$/, ["hello"]),
    shows("/clear", /^Emptied; what was said stays stored\.$/),
    misfit("/clear --nope"),
    misfit("/clear all"),
  ],
  undo: [
    shows("/undo", /^undone: t1/, ["/new", "hello"]),
    refuses("/undo", /There is nothing to undo/),
    misfit("/undo zzz"),
    misfit("/undo 1 2"),
  ],
  retry: [
    { ...shows("/retry", /^Hi\.$/, ["/new", "hello"]), beside: "undone: t1" },
    misfit("/retry --nope"),
    misfit("/retry twice"),
    misfit("/retry t1 t2"),
  ],
  pager: [shows("/pager", /^# hello\n/), shows("/pager", /^# hello\n/), misfit("/pager --nope"), misfit("/pager all")],
  context: [
    shows("/context", /tokens/),
    shows("/context --all", /tokens/),
    misfit("/context --nope"),
    misfit("/context all"),
  ],
  compact: [
    refuses("/compact", /There is nothing to summarise: the newest 8 messages stay as they are/),
    refuses("/compact", /There is nothing to summarise/),
    misfit("/compact --nope"),
    refuses("/compact the parser and more", /There is nothing to summarise/),
  ],
  inspect: [
    shows("/inspect show 1", /^> hello$/),
    misfit("/inspect show"),
    refuses(
      "/inspect show 99",
      /^There is no message 99 in this session: they go from 1 to \d+\. \/inspect lists them\.$/,
    ),
    misfit("/inspect undo 2"),
  ],
  prompt: [
    shows("/prompt", /^You are Smith/),
    shows("/prompt", /^You are Smith/),
    misfit("/prompt --nope"),
    misfit("/prompt list"),
  ],
  tokens: [
    shows("/tokens", /^direct {2}input/),
    shows("/tokens", /^direct {2}input/),
    misfit("/tokens --nope"),
    misfit("/tokens all"),
  ],
  cost: [shows("/cost", / requests · /), shows("/cost", / requests · /), misfit("/cost --nope"), misfit("/cost all")],
  usage: [
    shows("/usage --by role --days 7", /^by role \(this project, last 7 days\)\n/),
    misfit("/usage --by"),
    misfit("/usage --by week"),
    misfit("/usage today"),
  ],
  doctor: [
    shows("/doctor", /^✓ node/),
    shows("/doctor --json", /^✓ node/),
    misfit("/doctor --nope"),
    misfit("/doctor all"),
  ],
  mcp: [
    shows("/mcp list", /^No MCP server is configured\. docs\/MCP\.md shows how\.$/),
    shows("/mcp", /^No MCP server is configured/),
    misfit("/mcp drop"),
    misfit("/mcp list all"),
  ],
  plugins: [
    shows("/plugins list", /^No plugins are configured\. docs\/PLUGINS\.md tells how\.$/),
    shows("/plugins", /^No plugins are configured/),
    misfit("/plugins load"),
    misfit("/plugins list all"),
  ],
  new: [
    shows("/new", /^A fresh conversation begins with your next line\.$/),
    shows("/new", /^A fresh conversation begins/),
    misfit("/new --nope"),
    misfit("/new talk"),
  ],
  exit: [shows("/exit", /^$/), shows("/exit", /^$/), misfit("/exit --nope"), misfit("/exit now")],
});
