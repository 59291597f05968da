import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SMITH } from "./built.ts";
import { integrity, makeForeign, messagesPerConversation, storedMessages } from "./database.ts";
import { model, place } from "./scene.ts";

describe("one home", () => {
  test("PS20 B58 six processes that start on a fresh home at once all answer, and every message is stored", async () => {
    const here = place();
    const print = { command: "head -c 200000 /dev/zero | tr '\\0' x" };
    const script = [
      ...[1, 2, 3].map((n) => ({ call: [{ id: `call_${n}`, name: "bash", args: print }] })),
      { say: "Done." },
    ];
    const models = await Promise.all(Array.from({ length: 6 }, () => model(script)));
    const ends = await Promise.all(
      models.map(({ url }) =>
        here.run(["-p", "print", "--output", "json", "--model", "m", "--set", `llm_config.api_url=${url}`]),
      ),
    );
    const told = ends.map((end) => [end.code, end.json().text, end.json().persisted, end.json().notices]);
    expect(told).toEqual(Array(6).fill([0, "Done.", true, []]));
    expect(ends.map(({ stderr }) => stderr).join("")).not.toMatch(/busy|locked|SQLITE/i);
    expect(messagesPerConversation(here.database)).toEqual(Array(6).fill(8));
    expect(integrity(here.database)).toBe("ok");
  });

  test("PS1 C4 without SMITH_HOME the files are where XDG says, readable by their owner alone", async () => {
    const llm = await model([{ say: "one" }, { say: "two" }]);
    const here = place();
    const config = join(here.home, ".config", "smith");
    mkdirSync(config, { recursive: true });
    writeFileSync(join(config, "config.json"), JSON.stringify(llm.config));
    const defaults = { SMITH_HOME: undefined };
    expect((await here.run(["-p", "hi"], { env: defaults })).code).toBe(0);
    const data = join(here.home, ".local", "share", "smith");
    expect(statSync(join(data, "smith.db")).mode & 0o777).toBe(0o600);
    expect(statSync(data).mode & 0o777).toBe(0o700);
    const moved = { ...defaults, XDG_DATA_HOME: join(here.home, "data"), XDG_CONFIG_HOME: join(here.home, ".config") };
    expect((await here.run(["-p", "hi"], { env: moved })).code).toBe(0);
    expect(messagesPerConversation(join(here.home, "data", "smith", "smith.db"))).toEqual([2]);
    expect(readdirSync(here.home).sort()).toEqual([".config", ".local", "data"]);
  });
});

describe("a home that can't be used", () => {
  test("fault 42 a working directory that was deleted is one line, exit 2, and no turn", async () => {
    const here = place();
    const gone = join(here.home, "gone");
    const leave = `mkdir "$1" && cd "$1" && rmdir "$1" && exec "$2" "$3" -p hi --model demo`;
    const args = ["-c", leave, "sh", gone, process.execPath, SMITH];
    const env = { PATH: process.env["PATH"], SMITH_HOME: here.home, SMITH_NO_PROBE: "1" };
    const { status, stdout, stderr } = spawnSync("sh", args, { env, encoding: "utf8" });
    expect([status, stdout, stderr]).toEqual([
      2,
      "",
      "smith: the working directory is gone. Change to one that exists, or pass --cwd DIR.\n",
    ]);
  });

  test("fault 20 where nothing names a home, one line says what to set", async () => {
    const here = place();
    const end = await here.run(["-p", "hi"], { env: { SMITH_HOME: undefined, HOME: "" } });
    expect([end.code, end.stdout, end.stderr]).toEqual([
      2,
      "",
      "smith: Neither XDG_CONFIG_HOME nor HOME is set, so there is no place for ~/.config/smith. Set HOME or SMITH_HOME.\n",
    ]);
  });

  test("PS21 K2 a folder in the place of the database is refused with one line and exit 2", async () => {
    const llm = await model([]);
    const here = place({ config: llm.config });
    mkdirSync(here.database);
    const end = await here.run(["-p", "hi", "--output", "json"]);
    expect([end.code, end.stdout, end.stderr]).toEqual([
      2,
      "",
      `smith: The database ${here.database} can't be opened: a folder or another thing that is no file has its name. Move it away, or set SMITH_HOME to another folder.\n`,
    ]);
  });

  test("PS5 K2 the database of another program is refused untouched, with exit 2", async () => {
    const llm = await model([]);
    const here = place({ config: llm.config });
    makeForeign(here.database);
    const foreign = readFileSync(here.database);
    const end = await here.run(["-p", "hi"]);
    expect([end.code, end.stdout, end.stderr.trimEnd().split("\n").length]).toEqual([2, "", 1]);
    expect(end.stderr).toContain(here.database);
    expect(readFileSync(here.database).equals(foreign)).toBe(true);
    expect(readdirSync(here.home).sort()).toEqual(["config.json", "smith.db"]);
  });

  test("PS21 a damaged database is set aside loudly, and the turn goes on with a fresh one", async () => {
    const llm = await model([{ say: "Hello." }]);
    const here = place({ config: llm.config });
    writeFileSync(here.database, "damaged ".repeat(1000));
    const end = await here.run(["-p", "hi", "--output", "json"]);
    expect([end.code, end.json().text, end.json().persisted]).toEqual([0, "Hello.", true]);
    expect(end.json().notices).toEqual([
      { level: "error", text: expect.stringContaining("was damaged. It is kept as") },
    ]);
    expect(end.stderr).toContain(`The database ${here.database} was damaged. It is kept as`);
    expect(storedMessages(here.database).map(({ content }) => content)).toEqual(["hi", "Hello."]);
    const aside = readdirSync(here.home).filter((name) => name.includes("corrupt"));
    expect(aside.map((name) => readFileSync(join(here.home, name), "utf8"))).toEqual(["damaged ".repeat(1000)]);
  });

  test("PS21 a home that can't be written: answered, exit 0, not persisted, and a line says so", async () => {
    const llm = await model([{ say: "Hello." }]);
    const here = place({ files: { taken: "" } });
    await answeredButNotSaved(here, llm, join(here.cwd, "taken", "home"));
  });
});

async function answeredButNotSaved(
  here: ReturnType<typeof place>,
  { url }: { url: string },
  home: string,
): Promise<void> {
  const flags = ["--model", "m", "--set", `llm_config.api_url=${url}`];
  const end = await here.run(["-p", "hi", "--output", "jsonl", ...flags], { env: { SMITH_HOME: home } });
  expect([end.code, end.json().stop_reason, end.json().text]).toEqual([0, "completed", "Hello."]);
  expect(end.stderr).toMatch(
    new RegExp(`smith: The database ${home}/smith.db can't be written \\(E[A-Z]+\\): .*memory only`),
  );
  expect(end.json().persisted).toBe(false);
  expect(end.events().at(-1)?.type).toBe("turn_persist_failed");
}

describe("secrets", () => {
  const CANARY = "sk-canary-0123456789abcdef0123456789abcdef";

  for (const output of ["text", "json", "jsonl"]) {
    test(`L30 a key that the endpoint echoes in its refusal is nowhere: not in ${output}, not in the files`, async () => {
      const error = { error: { message: `Incorrect API key provided: ${CANARY}.`, type: "auth" } };
      const show = { id: "call_1", name: "bash", args: { command: "env; echo looked" } };
      const llm = await model([{ call: [show] }, { status: 401, body: error }]);
      const here = place({ config: llm.config });
      const args = ["-p", "hi", "--output", output, "--log-level", "debug"];
      const end = await here.run(args, { env: { LLM_API_KEY: CANARY } });
      expect(end.code).toBe(1);
      expect(llm.requests.map(({ headers }) => headers.authorization)).toEqual(Array(2).fill(`Bearer ${CANARY}`));
      const places = [
        ["stdout", end.stdout],
        ["stderr", end.stderr],
        ...readdirSync(here.home).map((name) => [name, readFileSync(join(here.home, name), "latin1")]),
      ];
      expect(places.filter(([, text]) => text?.includes(CANARY)).map(([name]) => name)).toEqual([]);
      expect(end.stderr).toContain("LLM_API_KEY");
      const told = storedMessages(here.database).map(({ content }) => content);
      expect(told.filter((content) => typeof content === "string" && content.includes("looked")).length).toBe(1);
    });
  }
});
