/** What flags of other agents, and of older ones of this kind, are called here. */
const FLAGS: Readonly<Record<string, string>> = {
  "--work-dir": "--cwd DIR",
  "--workdir": "--cwd DIR",
  "--max-turns": "--max-rounds N",
  "--conversation": "--resume ID",
  "--session": "--resume ID",
  "--base-url": "--set llm_config.api_url=URL",
  "--api-key-env": "--set llm_config.api_key_env=NAME",
  "--session-dir": "--set session_dir=DIR",
  "--theme": "--set ui.theme=NAME",
  "--output-format": "--output FORMAT",
  "--permission-mode": "--mode MODE",
  "--prompt": '-p "prompt"',
  "--verbose": "--log-level debug",
  "--debug": "--log-level debug",
};

const SUBCOMMANDS: Readonly<Record<string, string>> = {
  chat: "smith alone is the shell.",
  tui: "smith alone is the shell.",
  repl: "smith alone is the shell.",
  run: 'smith -p "prompt" runs one turn.',
  exec: 'smith -p "prompt" runs one turn.',
  init: "smith config template prints a configuration to begin with.",
  resume: "smith -c goes on with the newest session, smith --resume ID with another.",
};

const find = (names: Readonly<Record<string, string>>, name: string): string | null =>
  Object.hasOwn(names, name) ? (names[name] ?? null) : null;

export const flagMeant = (flag: string): string | null => find(FLAGS, flag);
/** A sentence. */
export const subcommandMeant = (name: string): string | null => find(SUBCOMMANDS, name);
