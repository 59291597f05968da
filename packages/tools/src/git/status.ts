import { existsSync } from "node:fs";
import { join } from "node:path";
import { printable } from "../fault.ts";

/** Asked of git in a form in which any name is told as it is. */
export const STATUS_FORM: readonly string[] = ["--porcelain=v2", "-z", "--branch"];

/** Asked for by the model, and answered in the one form there is. */
const FORMS = /^(--(short|branch|long|porcelain(=.*)?)|-[sb]+)$/;
export const withoutForm = (options: readonly string[]): readonly string[] =>
  options.filter((each) => !FORMS.test(each));

interface Head {
  oid?: string;
  branch?: string;
  upstream?: string;
  distance?: string;
  stash?: string;
}

/** The records of `--porcelain=v2 -z --branch` as lines: a head, then `XY path`, one entry a line. */
export function showStatus(raw: string, gitDir: string): string {
  const head: Head = {};
  const lines: string[] = [];
  const records = raw.split("\0");
  for (let at = 0; at < records.length; at++) {
    const record = records[at] ?? "";
    if (record.startsWith("# ")) readHead(record, head);
    else if (record.startsWith("2 ")) lines.push(...moved(record, records[++at] ?? ""));
    else lines.push(...entryOf(record));
  }
  const clean = lines.length === 0 ? ["nothing to commit, working tree clean"] : [];
  return [headLine(head), ...lines, ...clean, ...states(gitDir)].join("\n");
}

function readHead(record: string, head: Head): void {
  const [, key, ...rest] = record.split(" ");
  const value = rest.join(" ");
  if (key === "branch.oid") head.oid = value;
  if (key === "branch.head") head.branch = value;
  if (key === "branch.upstream") head.upstream = value;
  if (key === "branch.ab") head.distance = value;
  if (key === "stash") head.stash = value;
}

function headLine({ oid, branch, upstream, distance, stash }: Head): string {
  const [ahead = 0, behind = 0] = (distance ?? "").split(" ").map((n) => Math.abs(Number(n)) || 0);
  const apart = [...(ahead > 0 ? [`ahead ${ahead}`] : []), ...(behind > 0 ? [`behind ${behind}`] : [])];
  const facts = [
    branch === "(detached)" ? `## HEAD (no branch, at ${oid?.slice(0, 12)})` : `## ${printable(branch ?? "")}`,
    upstream === undefined ? "" : `...${printable(upstream)}`,
    upstream !== undefined && distance === undefined ? " [gone]" : "",
    apart.length > 0 ? ` [${apart.join(", ")}]` : "",
    oid === "(initial)" ? " (no commits yet)" : "",
    stash === undefined ? "" : ` (stashes: ${stash})`,
  ];
  return facts.join("");
}

/** Fields before the path, by the kind of entry. */
const FIELDS: Readonly<Record<string, number>> = { "1": 8, u: 10 };

const dots = (xy: string): string => xy.replaceAll(".", " ");

function entryOf(record: string): readonly string[] {
  if (record.startsWith("? ")) return [`?? ${printable(record.slice(2))}`];
  if (record.startsWith("! ")) return [`!! ${printable(record.slice(2))}`];
  const fields = FIELDS[record[0] ?? ""];
  if (fields === undefined || record[1] !== " ") return [];
  const parts = record.split(" ");
  return [`${dots(parts[1] ?? "")} ${printable(parts.slice(fields).join(" "))}`];
}

/** A rename is told on two lines: any name may hold an arrow. */
function moved(record: string, from: string): readonly string[] {
  const parts = record.split(" ");
  const how = parts[8]?.startsWith("C") === true ? "copied" : "renamed";
  return [`${dots(parts[1] ?? "")} ${printable(parts.slice(9).join(" "))}`, `   ${how} from: ${printable(from)}`];
}

const STATES: readonly (readonly [file: string, words: string])[] = [
  ["MERGE_HEAD", "a merge is in progress"],
  ["rebase-merge", "a rebase is in progress"],
  ["rebase-apply", "a rebase or am is in progress"],
  ["CHERRY_PICK_HEAD", "a cherry-pick is in progress"],
  ["REVERT_HEAD", "a revert is in progress"],
  ["BISECT_LOG", "a bisect is in progress"],
  ["index.lock", "index.lock exists: another git is at work, or one crashed and left it; remove it if none runs"],
];

const states = (gitDir: string): readonly string[] =>
  STATES.filter(([file]) => existsSync(join(gitDir, file))).map(([, words]) => `[${words}]`);
