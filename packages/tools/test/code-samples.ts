/** A small source of each language and its outline. */
export const SAMPLES: Readonly<Record<string, { readonly source: string; readonly outline: string }>> = {
  "a.ts": {
    source: `import { x } from "y";
export const LIMIT = 3, other = 4;
let open = false;
export default class Box<T> extends Base {
  static #secret = 1;
  readonly size = () => 1;
  constructor(private a: string) { super(); const local = 1; }
  get width(): number { return 1; }
  async *walk(): AsyncGenerator<T> { function inner() {} }
}
abstract class Shape { abstract area(): number; protected name?: string }
export interface Port { readonly id: string; send(text: string): void; [key: string]: unknown }
export type Options = { retries: number; on(): void } & Other;
enum Color { Red, Green = "g" }
export namespace Inner { export const deep = 1; export function f() {} }
declare module "z" { export function g(): void; }
declare const VERSION: string;
export function over(a: string): void;
export function over(a: unknown): void { if (a) { const hidden = 1; } }
export const make = async <T>(a: T) => { const nested = () => a; return { run() {}, stop: () => 1, n: 1 }; };
export { a as b } from "c";
const { taken } = make;
`,
    outline: `2 const LIMIT
2 const other
3 variable open
4 class Box
  5 field #secret
  6 method size
  7 method constructor
  8 method width
  9 method walk
    9 function inner
11 class Shape
  11 method area
  11 field name
12 interface Port
  12 field id
  12 method send
13 type Options
14 enum Color
  14 member Red
  14 member Green
15 module Inner
  15 const deep
  15 function f
16 module z
  16 function g
17 const VERSION
18 function over
19 function over
20 function make
  20 function nested
  20 method run
  20 method stop`,
  },
  "b.tsx": {
    source: `export function App({ name }: { name: string }) { return <div onClick={() => go()}>{name}</div>; }
const Item = (props: Props) => <li>{props.text}</li>;
`,
    outline: `1 function App
2 function Item`,
  },
  "c.js": {
    source: `"use strict";
class A extends B { #x = 1; handle = () => 2; static m() {} }
function* gen() {}
var old = 1;
const run = function () {};
Foo.prototype.bar = function () {};
exports.baz = (a) => a;
module.exports = { key() {}, "quoted-key": () => 1, plain: 2 };
export const element = <b>x</b>;
module.exports = function named() {};
late = async function* () {};
`,
    outline: `2 class A
  2 field #x
  2 method handle
  2 method m
3 function gen
4 variable old
5 function run
6 function bar
7 function baz
8 method key
8 method quoted-key
9 const element
10 function named
11 function late`,
  },
  "d.py": {
    source: `import os
MAX = 3
name: str = "x"
class A(B):
    field = 1
    @property
    def value(self): return self._v
    async def run(self):
        local = 1
        def inner(): pass
    class Nested: pass
@decorated
def top(a, *, b=1): return lambda x: x
if True:
    def maybe(): pass
`,
    outline: `2 const MAX
3 variable name
4 class A
  5 field field
  7 method value
  8 method run
    10 function inner
  11 class Nested
13 function top
15 function maybe`,
  },
  "e.go": {
    source: `package main
import "fmt"
const Pi, E = 3.14, 2.71
var (
	count int
	name = "x"
)
type Point struct { X, Y int; Named }
type Shape interface { Area() float64 }
type ID string
type Alias = Point
func (p *Point) Move(dx int) { var local int; _ = local; f := func() {}; f() }
func Map[T any](in []T) []T { return in }
`,
    outline: `3 const Pi
3 const E
5 variable count
6 variable name
8 struct Point
  8 field X
  8 field Y
9 interface Shape
  9 method Area
10 type ID
11 type Alias
12 method Move
13 function Map`,
  },
  "f.rs": {
    source: `pub mod inner { pub fn deep() {} }
pub const MAX: u32 = 3;
static mut COUNT: u32 = 0;
pub struct Point<T> { pub x: T, y: T }
struct Unit;
enum Shape { Circle(f64), Square { side: f64 } }
pub trait Area { type Out; fn area(&self) -> f64; fn twice(&self) -> f64 { 2.0 } }
impl<T> Area for Point<T> { fn area(&self) -> f64 { fn helper() {} 1.0 } }
type Result<T> = std::result::Result<T, ()>;
macro_rules! square { ($x:expr) => { $x * $x }; }
async fn main() { let local = 1; }
union Bits { a: u32 }
`,
    outline: `1 module inner
  1 function deep
2 const MAX
3 variable COUNT
4 struct Point
  4 field x
  4 field y
5 struct Unit
6 enum Shape
  6 member Circle
  6 member Square
    6 field side
7 trait Area
  7 type Out
  7 method area
  7 method twice
8 impl Point<T>
  8 method area
    8 function helper
9 type Result
10 macro square
11 function main
12 struct Bits
  12 field a`,
  },
  "G.java": {
    source: `package x.y;
public class G<T> extends H implements I {
  private static final int MAX = 1, MIN = 0;
  G(int a) { int local = 1; }
  @Override public <R> R run(T t) throws E { return null; }
  interface Inner { int C = 1; void call(); }
  enum Level { LOW, HIGH { void x() {} }; int n; }
  record Pair(int a, int b) { Pair { } }
}
@interface Mark { String value() default ""; }
`,
    outline: `2 class G
  3 field MAX
  3 field MIN
  4 method G
  5 method run
  6 interface Inner
    6 const C
    6 method call
  7 enum Level
    7 member LOW
    7 member HIGH
      7 method x
    7 field n
  8 class Pair
    8 method Pair
10 interface Mark
  10 method value`,
  },
  "h.c": {
    source: `#include <stdio.h>
#define MAX 3
#define SQ(x) ((x)*(x))
typedef struct { int a; char *b; int c[2]; } box_t;
struct node { struct node *next; int (*call)(int); };
enum color { RED, GREEN = 2 };
typedef int (*handler)(void *);
static int counter = 0;
extern const char *names[];
int add(int a, int b);
static char **split(const char *text) { int local = 1; return 0; }
#ifdef X
void maybe(void) {}
#endif
int main(void) { return add(1, 2); }
`,
    outline: `2 macro MAX
3 macro SQ
4 type box_t
  4 field a
  4 field b
  4 field c
5 struct node
  5 field next
  5 field call
6 enum color
  6 member RED
  6 member GREEN
7 type handler
8 variable counter
9 variable names
10 function add
11 function split
13 function maybe
15 function main`,
  },
  "i.cpp": {
    source: `namespace a::b {
template <typename T> class Box : public Base {
 public:
  explicit Box(int n) : n_(n) {}
  virtual ~Box();
  T& get() const { return t_; }
  static Box* make(int n);
  bool operator==(const Box& o) const;
 private:
  int n_; T t_;
  enum class Mode { On, Off };
};
using Text = std::string;
}
template <typename T> a::b::Box<T>* a::b::Box<T>::make(int n) { return nullptr; }
void Foo::bar() { auto f = [](int x) { return x; }; }
int& ref();
struct Point { int x, y; };
`,
    outline: `1 module a::b
  2 class Box
    4 method Box
    5 method ~Box
    6 method get
    7 method make
    8 method operator==
    10 field n_
    10 field t_
    11 enum Mode
      11 member On
      11 member Off
  13 type Text
15 function a::b::Box<T>::make
16 function Foo::bar
17 function ref
18 struct Point
  18 field x
  18 field y`,
  },
  "J.cs": {
    source: `using System;
namespace A.B;
public abstract class J<T> : K, IL where T : new() {
  private readonly int count = 1, other;
  public const string Name = "x";
  public event Action Changed;
  public int Size { get; set; }
  public J(int n) { int local = 1; }
  public async Task<T> RunAsync<R>(R r) { void Inner() {} return default; }
  protected abstract void Stop();
}
interface IPort { void Send(string s); }
struct Point { public int X; }
enum Level { Low, High = 3 }
record Pair(int A, int B);
delegate void Handler(object o);
`,
    outline: `2 module A.B
3 class J
  4 field count
  4 field other
  5 field Name
  6 field Changed
  7 field Size
  8 method J
  9 method RunAsync
    9 function Inner
  10 method Stop
12 interface IPort
  12 method Send
13 struct Point
  13 field X
14 enum Level
  14 member Low
  14 member High
15 class Pair
16 type Handler`,
  },
  "k.rb": {
    source: `module Outer
  LIMIT = 3
  class Box < Base
    attr_accessor :width, :height
    attr_reader :name
    def initialize(n); @n = n; end
    def self.make; end
    def valid?; local = 1; end
    class << self
      def build; end
    end
  end
end
def top; end
class Outer::Other; end
`,
    outline: `1 module Outer
  2 const LIMIT
  3 class Box
    4 field width
    4 field height
    5 field name
    6 method initialize
    7 method make
    8 method valid?
    10 method build
14 function top
15 class Outer::Other`,
  },
  "l.php": {
    source: `<?php
namespace App\\Models;
const MAX = 3;
abstract class User extends Model implements X {
  const ROLE = 'a';
  private ?string $name = null;
  public function __construct(private int $id) { $local = 1; }
  abstract protected static function find(int $id): static;
}
interface Port { public function send(string $s): void; }
trait Named { public function name() {} }
enum Suit: string { case Hearts = 'H'; public function label(): string { return ''; } }
function helper(): void { $f = fn($x) => $x; }
`,
    outline: `2 module App\\Models
3 const MAX
4 class User
  5 const ROLE
  6 field name
  7 method __construct
  8 method find
10 interface Port
  10 method send
11 trait Named
  11 method name
12 enum Suit
  12 member Hearts
  12 method label
13 function helper`,
  },
  "m.sh": {
    source: `#!/usr/bin/env bash
ROOT=$(pwd)
export NAME=x
readonly LIMIT=3
build() { local inner=1; echo "$inner"; }
function deploy { build; }
if true; then
  later() { :; }
fi
`,
    outline: `2 variable ROOT
3 variable NAME
4 variable LIMIT
5 function build
6 function deploy
8 function later`,
  },
  "n.lua": {
    source: `-- function commented() end
--[[ function also_commented() end ]]
local M = {}
local count = 0
M.limit = [[ function in_text() end ]]
function M.new(a) local inner = function() end return inner end
function M:run() if true then for i = 1, 3 do while false do end end end repeat local x = 1 until true end
local function helper() return "function no() end" end
M.late = function(x) return x end
local tools = { open = function() end, close = 1 }
name = "x"
if count == 0 then local hidden = 1 end
return M
`,
    outline: `3 variable M
4 variable count
5 variable M.limit
6 function M.new
  6 function inner
7 method M:run
8 function helper
9 function M.late
10 variable tools
10 function open
11 variable name`,
  },
};
