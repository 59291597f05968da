import { BlockList, isIP, isIPv4, type LookupFunction } from "node:net";
import { AgentError } from "@smith/contract/error";
import { refusal } from "../fault.ts";
import type { Address, Lookup, WebOptions } from "./options.ts";

export interface Guard {
  /** For the connection: the address that was checked is the one that is connected to. */
  readonly lookup: LookupFunction;
  /** @throws {AgentError} `private_address` when the host is written as an address that is refused. */
  requireLiteral(url: URL): void;
}

/** What is not the public internet (IANA special-purpose registries), and Azure's metadata address. */
const NOT_PUBLIC_V4 = [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24"],
  ...["192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"],
  ...["224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32"],
];
const NOT_PUBLIC_V6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

/** Whether an address is private, loopback, link-local, metadata or otherwise not of the public internet. */
export function isPrivate(address: string): boolean {
  if (isIPv4(address)) return ranges(NOT_PUBLIC_V4, "ipv4").check(address, "ipv4");
  const words = wordsOf(address);
  if (words === null) return true;
  const embedded = embeddedV4(words);
  if (embedded !== null) return isPrivate(embedded);
  const global = ((words[0] ?? 0) & 0xe000) === 0x2000;
  return !global || ranges(NOT_PUBLIC_V6, "ipv6").check(address, "ipv6");
}

function ranges(list: readonly string[], family: "ipv4" | "ipv6"): BlockList {
  const block = new BlockList();
  for (const each of list) {
    const [net = "", bits] = each.split("/");
    block.addSubnet(net, Number(bits), family);
  }
  return block;
}

/** The eight 16-bit words of an IPv6 address; null for what is none, and for one with a zone. */
function wordsOf(address: string): readonly number[] | null {
  if (address.includes("%") || isIP(address) !== 6) return null;
  const plain = new URL(`http://[${address}]`).hostname.slice(1, -1); // folds a dotted tail into two words
  const [head = "", tail] = plain.split("::");
  const list = (part: string) => (part === "" ? [] : part.split(":").map((word) => Number.parseInt(word, 16)));
  if (tail === undefined) return list(head);
  const [first, last] = [list(head), list(tail)];
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
}

/** The IPv4 address inside a mapped (`::ffff:…`) or NAT64 (`64:ff9b::…`) one. */
function embeddedV4(words: readonly number[]): string | null {
  const prefix = words.slice(0, 6).join(":");
  if (prefix !== "0:0:0:0:0:65535" && prefix !== `${0x64}:${0xff9b}:0:0:0:0`) return null;
  return words
    .slice(6)
    .flatMap((word) => [word >> 8, word & 255])
    .join(".");
}

const systemLookup: Lookup = async (hostname) => {
  const { lookup } = await import("node:dns/promises");
  return await lookup(hostname, { all: true });
};

/** Refuses to connect to addresses for which `refuses` holds, however the host was written. */
function createGuard(refuses: (address: string) => boolean, find: Lookup): Guard {
  return Object.freeze({
    lookup: ((hostname, options, callback) => {
      checked(hostname).then(
        (list) => {
          const [first] = list;
          if (options.all === true) callback(null, [...list]);
          else callback(null, first?.address ?? "", first?.family);
        },
        (thrown: Error) => callback(thrown, ""),
      );
    }) satisfies LookupFunction,
    requireLiteral(url: URL) {
      const host = url.hostname.replace(/^\[|\]$/g, "");
      if (isIP(host) !== 0 && refuses(host)) throw privateAddress(url.hostname, host);
    },
  });

  async function checked(hostname: string): Promise<readonly Address[]> {
    const list = await find(hostname);
    const bad = list.find(({ address }) => refuses(address));
    if (bad !== undefined) throw privateAddress(hostname, bad.address);
    if (list.length === 0) throw refusal("unreachable", `${hostname} has no address. Check the name.`);
    return list;
  }
}

export const guardOf = ({ allow_private, refuses, lookup: find }: WebOptions): Guard =>
  createGuard(allow_private ? () => false : (refuses ?? isPrivate), find ?? systemLookup);

function privateAddress(host: string, address: string): AgentError {
  const leads = host.replace(/^\[|\]$/g, "") === address ? "is" : `leads to ${address},`;
  return new AgentError({
    kind: "policy",
    code: "private_address",
    origin: "tools/web",
    message: `${host} ${leads} a private, loopback, link-local or metadata address. Web tools reach the public internet only; services.tool.web.allow_private = true lifts that.`,
  });
}
