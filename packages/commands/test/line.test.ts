import { expect, test } from "vitest";
import { readLine, runSlash, splitWords } from "../src/index.ts";
import { memoryHost } from "./host.ts";

test("R15 B64 a command is a line whose whole first word looks like one", () => {
  const cases = [
    ["/help", { command: "help", rest: "" }],
    ["  /config  set a  b ", { command: "config", rest: "set a  b" }],
    ["\t/q", { command: "q", rest: "" }],
    ["/A-b_9\nx", { command: "A-b_9", rest: "x" }],
    ["/usr/lib/x.so is missing", { text: "/usr/lib/x.so is missing" }],
    ["/home", { command: "home", rest: "" }],
    ["//comment?", { text: "//comment?" }],
    ["/1", { text: "/1" }],
    ["/", { text: "/" }],
    ["", { text: "" }],
    [" hello /help", { text: " hello /help" }],
    ["/hé", { text: "/hé" }],
  ] as const;
  expect(cases.map(([line]) => [line, readLine(line)])).toEqual(cases);
});

test("blanks part words, a pair of quotes keeps them together", () => {
  expect(splitWords(`a  "b c" 'd "e"' f"g `)).toEqual(["a", "b c", 'd "e"', 'f"g']);
  expect(splitWords("  ")).toEqual([]);
});

test("K5 an unknown command and an unknown flag are answered with what there is", async () => {
  const host = memoryHost();
  const said = async (name: string, rest = "") => {
    const { ok, misuse, say } = await runSlash(name, rest, host);
    return [ok, misuse, say];
  };
  expect([
    await said("hlep"),
    await said("exti"),
    await said("frobnicate"),
    await said("tools", "--json --nope"),
    await said("tools", "--role"),
    await said("role", "a b"),
    await said("policy", "explain direct"),
    await said("policy", "show --mode yolo"),
    await said("config", "set max_rounds"),
    await said("config", "frob"),
  ]).toEqual([
    [false, undefined, "unknown command /hlep. Did you mean /help? /help lists them."],
    [false, undefined, "unknown command /exti. Did you mean /exit? /help lists them."],
    [false, undefined, "unknown command /frobnicate. /help lists them."],
    [...[false, true], "tools has no flag --nope. usage: tools [--role R] [--json]  (/help tools tells more)"],
    [...[false, true], "--role needs a value (R). usage: tools [--role R] [--json]  (/help tools tells more)"],
    [false, true, "/role a b: that does not fit. usage: role  |  role NAME  (/help role tells more)"],
    [false, true, `/policy explain direct: ${POLICY_USAGE}`],
    [false, true, `/policy show --mode yolo: ${POLICY_USAGE}`],
    [false, true, `/config set max_rounds: ${CONFIG_USAGE}`],
    [false, true, `/config frob: ${CONFIG_USAGE}`],
  ]);
  expect(host.calls).toEqual([]);
});

const POLICY_USAGE =
  "that does not fit. usage: policy show [--mode M] [--json]  |  policy explain ROLE TOOL [--json]  (/help policy tells more)";
const CONFIG_USAGE =
  "that does not fit. usage: config get [PATH]  |  config set PATH VALUE  |  config unset PATH  |  config explain PATH  |  config list  |  config path  |  config template  (/help config tells more)";

test("C14 C16 /config set hands on the value as it was typed, quotes of JSON too", async () => {
  const host = memoryHost();
  const typed = ["80", "[1, 2]", '["list_dir", "env_get"]', '"80"', "a b  c", "'a b'", '{"a": "b c"}', "a/b:c"];
  for (const value of typed) await runSlash("config", `set  path.x   ${value} `, host);
  const asIs = typed.map((value) => `set path.x ${value}`);
  expect(host.calls).toEqual(asIs.map((call) => call.replace("'a b'", "a b")));
});
