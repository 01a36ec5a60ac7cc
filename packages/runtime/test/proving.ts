/** Runs whose states are written by hand, for proofs about them. */
import * as State from "@backstitch/reducer/State"
import type * as Export from "@backstitch/trace/Export"
import * as HashChain from "@backstitch/trace/HashChain"
import * as List from "@backstitch/trace/List"
import * as Run from "@backstitch/trace/Run"
import * as Table from "@backstitch/trace/Table"
import type * as Transition from "@backstitch/trace/Transition"

export const numbered = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index)

/** Fields of every kind and of sizes at which their trees have one, two and three levels. */
export const state: State.State = {
  kernel: { clock: { asOf: 7 } },
  working: {
    none: List.empty,
    one: List.from(["only"]),
    few: List.from(numbered(16)),
    more: List.from(numbered(17).map((index) => ({ index }))),
    many: List.from(numbered(300)),
    "a/b~c": { "d.e": [1, { "": null }], ünï: -1.5e-9 }
  },
  world: {
    nobody: Table.empty,
    alone: Table.from([["", { price: 120.5 }]]),
    seats: Table.from(numbered(40).map((index) => [`${index}A`, { price: index, taken: index % 2 === 0 }])),
    spent: "590.10",
    toString: false
  }
}

/** A run of some ticks of which those with an even number end a commit, in one state. */
export const exported = (ticks: number, options: { readonly fork?: boolean } = {}): Export.Export => {
  const run = Run.make("trip-42", "acme")
  const lineage = options.fork === true ? [{ id: Run.make("trip-1", "acme").id, tick: 3 }] : []
  const genesis = HashChain.genesis(options.fork === true ? Run.make("trip-1", "acme") : run)
  const transitions: Array<Transition.Sealed> = []
  for (let tick = 1, head = genesis; tick <= ticks; tick++) {
    const body =
      options.fork === true && tick === 4
        ? { author: "kernel", data: { at: 3, child: "trip-42", link: head.link, parent: "trip-1" }, type: "run.fork" }
        : { author: "agent", data: { tick }, type: "observation.add" }
    const stamp = tick % 2 === 0 ? { asOf: tick, state: State.digest(state) } : { asOf: tick }
    const sealed = HashChain.seal(head, { body, stamp, envelope: { ts: tick } } as Transition.Draft)
    head = HashChain.headOf(sealed)
    transitions.push(sealed)
  }
  return { run, ontology: 1, lineage, head: HashChain.headOf(transitions.at(-1)!), transitions, blobs: new Map() }
}

/** Places at which something stands, and at which nothing does. */
export const places: ReadonlyArray<string> = [
  ...["clock", "clock/asOf", "clock/none", "other"].map((each) => `/kernel/${each}`),
  ...[
    "none",
    "none/0",
    "one",
    "one/0",
    "one/1",
    "few/15",
    "few/16",
    "more/0",
    "more/16/index",
    "more/17",
    "many/299"
  ].map((each) => `/working/${each}`),
  ...["many/300", "many/01", "many/x", "few", "a~1b~0c", "a~1b~0c/d.e/1/", "a~1b~0c/d.e/2", "a~1b~0c/ünï"].map(
    (each) => `/working/${each}`
  ),
  ...["nobody", "nobody/x", "alone", "alone/", "alone/x", "seats", "seats/7A", "seats/7A/taken", "seats/40A"].map(
    (each) => `/world/${each}`
  ),
  ...["seats/7A/toString", "spent", "spent/0", "toString", "valueOf", "__proto__"].map((each) => `/world/${each}`)
]
