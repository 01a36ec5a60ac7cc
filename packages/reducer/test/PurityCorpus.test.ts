import * as FunctionSource from "@backstitch/contracts/FunctionSource"
import * as Table from "@backstitch/trace/Table"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { Purity } from "../src/index.ts"

/** What predicates are tried on: two states, the second with more in it. */
const samples = () =>
  [1, 2].map((n) => {
    const state = {
      spent: 40 * n,
      limit: 60,
      orders: [
        { item: "milk", price: 30 },
        { item: "egg", price: 9 }
      ],
      byName: { b: n, a: 2 },
      name: "x",
      rows: Table.from([["a", { n }]])
    }
    return [{ state, before: state, after: { ...state, spent: 50 * n } }] as const
  })

const accepted = (source: string): boolean => Result.isSuccess(Purity.check({ id: "subject", source }, samples()))

/** Each is impure, or may be: its answer can depend on something else than the value of its argument. */
const impure: Readonly<Record<string, ReadonlyArray<string>>> = {
  time: [
    "({ state }) => state.spent > Date.now()",
    "({ state }) => new Date().getHours() > 12 && state.spent > 0",
    "({ state }) => performance.now() % 2 > 1",
    "({ state }) => process.hrtime()[0] > state.spent",
    "({ state }) => Temporal.Now.instant().epochSeconds > state.spent",
    "({ state }, now = Date.now()) => now > state.spent"
  ],
  randomness: [
    "({ state }) => Math.random() > 0.5",
    "({ state }) => Math['ran' + 'dom']() > 0.5",
    "({ state }) => { const { random } = Math; return random() > 0.5 }",
    "({ state }) => [Math].map((m) => m.random())[0] > 0.5",
    "({ state }) => crypto.getRandomValues(new Uint8Array(1))[0] > 128",
    "({ state }) => state.orders.toSorted(() => Math.random() - 0.5)[0].price > 3"
  ],
  "input and output": [
    "({ state }) => { console.log(state); return false }",
    "({ state }) => fetch('http://localhost/limit').then(() => true)",
    "({ state }) => require('node:fs').existsSync('limit.txt')",
    "({ state }) => process.env.LIMIT < state.spent",
    "({ state }) => import('node:fs') !== null",
    "({ state }) => { setTimeout(() => {}, 0); return false }",
    "({ state }) => new Worker('x') === state",
    "({ state }) => localStorage.getItem('limit') < state.spent"
  ],
  "closures and memory": [
    "(() => { let calls = 0; return () => ++calls > 100 })()",
    "({ state }) => state.spent > limit",
    "({ state }) => { calls += 1; return calls > 100 }",
    "function check({ state }) { check.calls = (check.calls ?? 0) + 1; return check.calls > 100 }",
    "function check({ state }) { const self = check; self.calls = (self.calls ?? 0) + 1; return self.calls > 100 }",
    "({ state }) => { [].map.calls = ([].map.calls ?? 0) + 1; return [].map.calls > 100 }",
    "({ state }) => { const m = [].map; m.calls ??= 0; return m.calls++ > 100 }",
    "({ state }) => { Array.calls = (Array.calls ?? 0) + 1; return Array.calls > 100 }",
    "({ state }) => { JSON.calls = (JSON.calls ?? 0) + 1; return JSON.calls > 100 }",
    "({ state }) => { [[].map.last] = [state.spent]; return [].map.last > 100 }",
    "({ state }) => { ({ spent: [].map.last } = state); return false }",
    "({ state }) => { for ([].map.last of [1, 2]) {} return [].map.last > 100 }",
    "({ state }) => { delete [].map.cache; return false }",
    "({ state }) => { Object.assign([].map, { last: state.spent }); return [].map.last > 100 }",
    "({ state }) => { Object.freeze([].map); return false }",
    "({ state }) => { [].push.call([].map, state.spent); return [].map[0] > 100 }",
    "({ state }) => new WeakRef(state).deref() === undefined",
    "({ state }) => { const seen = new FinalizationRegistry(() => {}); return false }"
  ],
  "prototypes and code from text": [
    "({ state }) => { Object.prototype.seen = true; return false }",
    "({ state }) => { ({}).__proto__.seen = 1; return false }",
    "({ state }) => { Object.getPrototypeOf([]).seen = 1; return false }",
    "({ state }) => (() => {}).constructor('return Date.now()')() > 5",
    "({ state }) => [].map['construc' + 'tor']('return Date.now()')() > 5",
    "({ state }) => { const k = 'construc' + 'tor'; return [][k][k]('return Date.now()')() > 5 }",
    "({ state }) => { const k = ['construc', 'tor'].join(''); const { [k]: A } = []; const { [k]: F } = A; return F('return Date.now()')() > 5 }",
    "({ state }) => { const k = { toString: () => 'constructor' }; return [].map[k]('return Date.now()')() > 5 }",
    "({ state }) => [].map[`constructor`]('return Date.now()')() > 5",
    "({ state }) => [].map['__pro' + 'to__'] !== null",
    "({ state }) => Object.getOwnPropertyDescriptors([].map).name.value === 'map'",
    "({ state }) => { const O = Object; O.defineProperty(state, 'x', { get: () => 1 }); return state.x > 0 }",
    "({ state }) => eval('Date.now()') > 5",
    "({ state }) => (0, eval)('Date.now()') > 5",
    "({ state }) => Function('return Date.now()')() > 5",
    "({ state }) => new Function('return Date.now()')() > 5",
    "({ state }) => Function`return Date.now()`() > 5",
    "({ state }) => Reflect.get(globalThis, 'Date').now() > 5",
    "({ state }) => ((key$) => key$('constructor'))((k) => [].map[k + '']('return 1')) > 0"
  ],
  "the surroundings of a call": [
    "function ({ state }) { return this === undefined }",
    "function () { return arguments[1] !== undefined }",
    "function ({ state }) { return new.target === undefined }",
    "({ state }) => globalThis.limit < state.spent",
    "({ state }) => self.limit < state.spent",
    "({ state }) => window.limit < state.spent"
  ],
  "getters, proxies and conversions": [
    "({ state }) => ({ get limit() { return Date.now() } }).limit < state.spent",
    "({ state }) => new Proxy(state, { get: () => Date.now() }).spent > 5",
    "({ state }) => ({ [Symbol.toPrimitive]: () => Date.now() }) > state.spent",
    "({ state }) => ({ valueOf: () => Date.now() }) > state.spent",
    "({ state }) => Object.isFrozen(state)"
  ],
  "locale and platform": [
    "({ state }) => state.name.localeCompare('y') < 0",
    "({ state }) => state.spent.toLocaleString() > '1,000'",
    "({ state }) => new Intl.NumberFormat().format(state.spent).includes(',')",
    "({ state }) => state.name.normalize() === 'x'",
    "({ state }) => Math.sin(state.spent) > 0",
    "({ state }) => state.spent ** 0.5 > 6",
    "({ state }) => { let n = state.spent; n **= 0.1; return n > 2 }",
    "({ state }) => /\\p{Script=Latin}/u.test(state.name)"
  ],
  "asynchrony and generators": [
    "async ({ state }) => state.spent > 5",
    "({ state }) => (async () => true)()",
    "function* ({ state }) { yield state.spent > 5 }",
    "({ state }) => Promise.resolve(true)",
    "({ state }) => { queueMicrotask(() => {}); return false }",
    "({ state }) => Array.fromAsync([state])",
    "({ state }) => Atomics.load(new Int32Array(1), 0) > 0"
  ],
  exceptions: [
    "({ state }) => { try { return state.none.x } catch (error) { return error.stack.length > 100 } }",
    "({ state }) => { const deep = (n) => { try { return deep(n + 1) } catch { return n } }; return deep(0) % 2 > 0 }",
    "({ state }) => new Error().stack.includes('a')"
  ],
  "what it is given": [
    "({ state }) => { state.spent = 0; return false }",
    "({ state }) => { state.orders.push({ item: 'x', price: 1 }); return false }",
    "({ state }) => { state.orders.sort(); return false }",
    "({ state }) => { delete state.limit; return false }",
    "({ state }) => { Object.assign(state, { spent: 0 }); return false }",
    "({ state }) => state.spent++ > 5",
    "({ state }) => Object.keys(state.byName)[0] === 'b'",
    "({ state }) => { state.rows.calls = (state.rows.calls ?? 0) + 1; return state.rows.calls > 100 }",
    "({ state }) => { state.rows.tree.calls = 1; return false }",
    "({ state }) => state.rows.tree.digest === undefined",
    "({ state }) => state.rows['tr' + 'ee'].digest === undefined",
    '({ state }) => JSON.stringify(state.byName) === \'{"b":1,"a":2}\'',
    "({ before, state }) => before === state"
  ]
}

/** Each answers by the value of its argument alone. */
const honest: ReadonlyArray<string> = [
  "({ state }) => state.spent > state.limit",
  "({ before, after }) => after.spent < before.spent",
  "({ state }) => state.orders.some((order) => order.price > 25 && order.item !== 'bread')",
  "({ state: { orders, limit } }) => orders.reduce((sum, { price }) => sum + price, 0) > limit",
  "function ({ state }) { for (const order of state.orders) if (order.price < 0) return true; return false }",
  "({ state }) => Object.entries(state.byName).filter(([, n]) => n > 1).length > 1",
  "({ state }) => Math.max(...Object.values(state.byName)) > 2",
  "({ state }) => new Set(state.orders.map(({ item }) => item)).size < state.orders.length",
  "({ state }) => { const totals = {}; for (const { item, price } of state.orders) totals[item] = (totals[item] ?? 0) + price; return totals.milk > 50 }",
  "({ state }) => { const last = state.orders[state.orders.length - 1]; return last?.price > 20 }",
  "({ state }) => { const list = [...state.orders].sort((a, b) => a.price - b.price); list[0] = null; return list.length > 1 }",
  "({ state }) => { let total = 0; let n = state.orders.length; while (n--) total += state.orders[n].price; return total > state.limit }",
  "({ state }) => [...state.rows.values()].some(({ n }) => n > 1) && state.rows.has('a')",
  "({ state }) => { const found = { tree: 1 }; return found.tree < state.rows.get('a').n }",
  "({ state }) => JSON.parse('{\"max\":100}').max < state.spent",
  "({ state }) => { const copy = { ...state, byName: { ...state.byName } }; delete copy.byName.a; copy.spent += 1; return copy.spent > 100 }",
  "({ state }) => /^[a-z]+$/.test(state.name) && Number.isInteger(state.spent) && String(state.spent).length > 2",
  "({ state }) => { const pick = (name) => state[name]; return pick('spent') > pick('limit') }",
  "({ state }) => Array.from({ length: 3 }, (_, index) => index * state.spent).includes(120)",
  "({ state }) => { const sign = (n) => (n < 0 ? 'below' : 'above'); switch (sign(state.limit)) { case 'below': return true; default: return false } }",
  "({ state }) => state.orders instanceof Array && state.byName instanceof Object && Object(state) === state",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
  "({ state }) => `${state.name}:${state.spent}` === 'x:80'"
]

describe("the corpus of tricky predicates", () => {
  const all = Object.entries(impure).flatMap(([kind, sources]) => sources.map((source) => [kind, source] as const))

  it("has at least forty of them, in as many ways as one can think of", () => {
    assert.isAtLeast(all.length, 40)
    assert.strictEqual(new Set(all.map(([, source]) => source)).size, all.length)
  })

  it("accepts not one that is impure", () => {
    assert.deepStrictEqual(
      all.filter(([, source]) => accepted(source)),
      []
    )
  })

  it("accepts every honest one, and it answers what it would without the guards", () => {
    for (const source of honest) {
      const checked = Purity.check({ id: "subject", source }, samples())
      assert.isTrue(Result.isSuccess(checked), source)
      const plain = new Function(`return (${source})`)() as (argument: unknown) => unknown
      for (const [sample] of samples()) assert.strictEqual(Result.getOrThrow(checked)(sample), plain(sample), source)
    }
  })

  it("leaves built-in objects as they were", () => {
    for (const [, source] of all) accepted(source)
    assert.notProperty([].map, "calls")
    assert.notProperty([].map, "last")
    assert.isFalse(Object.isFrozen([].map))
    assert.notProperty({}, "seen")
    assert.notProperty(Array, "calls")
    assert.notProperty(JSON, "calls")
  })

  it("stops what samples did not reach once it is reached, in the same way everywhere", () => {
    const source = "({ state }) => state.spent > 900 && [].map['construc' + 'tor']('return Date.now()')() > 5"
    const run = Result.getOrThrow(FunctionSource.compile(source))
    assert.strictEqual(run({ state: { spent: 1 } }), false)
    assert.throws(() => run({ state: { spent: 901 } }), /\.constructor/)
  })
})
