/** What a server may send and keep waiting, so that none can fill our memory. */
export const BOUNDS = Object.freeze({
  /** Bytes of one message. */
  message: 8 << 20,
  /** Bytes without an answer to anything that was asked: a flood. */
  unasked: 64 << 20,
  /** Requests of its own between two of its answers: a flood, too. */
  requests: 1000,
  /** Bytes that a server does not read, of what it is sent. */
  unread: 8 << 20,
  /** Characters of its standard error that are kept, the last ones. */
  stderr: 8192,
  /** Entries of its list of tools that are looked at, and pages of it. */
  listed: 1000,
  pages: 50,
});
