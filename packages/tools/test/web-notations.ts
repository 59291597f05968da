/**
 * Ways to write the loopback address 127.0.0.2 and its like as the host of an address, by kind: what URL parsers,
 * inet_aton and resolvers are known to take. `private`: it is that address, and refused. `invalid`: it is no address at all.
 */
export const NOTATIONS: Readonly<
  Record<string, { readonly private: readonly string[]; readonly invalid?: readonly string[] }>
> = {
  plain: {
    private: ["127.0.0.2", "127.0.0.2.", "127.000.000.002"],
    invalid: ["127..0.2", "127.0.0.2.0"],
  },
  decimal: { private: ["2130706434"], invalid: ["6425673730", "4294967296", "127.0.0.258", "127.16777216"] },
  octal: {
    private: ["0177.0.0.2", "017700000002", "0177.0.0.02", "00000177.0.0.2"],
    invalid: ["0178.0.0.2", "127.0.0.08"],
  },
  hex: {
    private: ["0x7f000002", "0X7F000002", "0x7f.0x0.0x0.0x2", "0x00007f.0.0.2"],
    invalid: ["0x17f000002", "0xg.0.0.2"],
  },
  mixed: { private: ["0x7f.0.0.02", "0177.0x0.0.2", "127.0x2", "0x7f.2", "0177.2"] },
  short: { private: ["127.2", "127.0.2", "127.0x000002"] },
  zero: { private: ["0", "0.0.0.0", "0x0", "00", "0.0"] },
  digits: { private: ["１２７.０.０.２", "①②⑦.⓪.⓪.②", "𝟏𝟐𝟕.𝟎.𝟎.𝟐", "²¹³⁰⁷⁰⁶⁴³⁴", "１２７．０．０．２"] },
  dots: { private: ["127。0。0。2", "127．0．0．2", "127｡0｡0｡2"] },
  encoded: { private: ["%31%32%37.0.0.2", "127%2e0%2e0%2e2", "%30x7f.2"], invalid: ["127.0.0.2%00", "127.0.0.2%20"] },
  invisible: { private: ["127.0.0.\u00ad2", "127.\u200b0.0.2", "127.\t0.0.2", "127.0.0.2\n", "\u2060127.2"] },
  userinfo: {
    private: [
      "example.com@127.0.0.2",
      "example.com:80@127.0.0.2",
      "example.com%23@127.0.0.2",
      "a@b@127.0.0.2",
      "@127.0.0.2",
    ],
  },
  mapped: {
    private: [
      "[::ffff:127.0.0.2]",
      "[::ffff:7f00:2]",
      "[0:0:0:0:0:ffff:7f00:2]",
      "[::FFFF:127.0.0.2]",
      "[0000::ffff:7f00:0002]",
    ],
    invalid: ["[::ffff:127.2]", "[::ffff:0177.0.0.2]", "[::ffff:127.0.0.2"],
  },
  compatible: { private: ["[::127.0.0.2]", "[::7f00:2]"] },
  translated: {
    private: ["[64:ff9b::127.0.0.2]", "[64:ff9b::7f00:2]", "[64:ff9b:1::7f00:2]", "[::ffff:0:127.0.0.2]"],
  },
  tunnelled: {
    private: ["[2002:7f00:2::]", "[2002:7f00:0002::1]", "[2001:0:7f00:2::]", "[2001::1]", "[fe80::5efe:127.0.0.2]"],
  },
  loopback6: {
    private: ["[::1]", "[0:0:0:0:0:0:0:1]", "[::0001]", "[::]", "[0::0]"],
    invalid: ["::1", "[::1].", "[:1]"],
  },
  local6: { private: ["[fe80::1]", "[fc00::1]", "[fd00:ec2::254]", "[fec0::1]", "[ff02::1]"] },
  zones: { private: [], invalid: ["[fe80::1%25lo]", "[fe80::1%lo]", "[::1%251]"] },
  metadata: {
    private: [
      "169.254.169.254",
      "0xa9fea9fe",
      "2852039166",
      "0251.0376.0251.0376",
      "[::ffff:a9fe:a9fe]",
      "169.254.43518",
    ],
  },
  names: {
    private: [
      "localhost",
      "LOCALHOST",
      "ｌocalhost",
      "localhost.",
      "loc\u00adalhost",
      "sub.localhost",
      "127.0.0.2..",
      "127.0.0.2.nip.io",
    ],
  },
};
