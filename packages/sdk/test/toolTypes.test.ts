import { assert, describe, expectTypeOf, it } from "vitest"
import * as z from "zod"
import { Accepted, Backstitch, type GuardOptions, guarded, type PackDefinition, type Run } from "../src/Sdk.ts"

const book = {
  class: "medium_risk_write",
  input: { flight: "string", seats: "int" },
  identity: { scope: "run", fields: ["flight"] },
  undo: "X"
} as const
const pack: PackDefinition = { pack: "acme.trips", version: "1", tools: { book } }
const input = z.object({ flight: z.string(), seats: z.coerce.number() })
const doubled = (seats: number): object => ({ seats: seats * 2 })

describe("the arguments of a tool of Backstitch.open", () => {
  it("are those that its schema answers, in each of its functions", async () => {
    const seen: Array<string> = []
    await using bs = await Backstitch.open({
      store: "memory:",
      pack,
      tools: {
        book: {
          input,
          execute: (args, { key }) => {
            seen.push(args.flight.toUpperCase(), typeof key)
            return doubled(args.seats)
          },
          status: (args) => ({ pnr: args.flight }),
          readback: async (args) => ({ pnr: args.flight }),
          sources: { partner: (args) => args.seats.toFixed(0) }
        }
      }
    })
    const run = await bs.run("trip-42")
    assert.deepInclude(await run.tool("book", { flight: "lx1", seats: "2" }), { status: "done", output: { seats: 4 } })
    assert.deepStrictEqual(seen, ["LX1", "string"])
  })

  it("are refused by the compiler where a function expects others", () => {
    const open = Backstitch.open
    void (() => [
      // @ts-expect-error a flight is a text
      open({ pack, tools: { book: { input, execute: (args) => doubled(args.flight) } } }),
      // @ts-expect-error the schema answers no name
      open({ pack, tools: { book: { input, execute: (args) => args.name } } }),
      // @ts-expect-error the function wants a name, which the schema does not answer
      open({ pack, tools: { book: { input, execute: (args: { readonly name: string }) => args.name } } }),
      // @ts-expect-error seats are a number in the readback, too
      open({ pack, tools: { book: { input, execute: () => 1, readback: (args) => args.seats.trim() } } }),
      // @ts-expect-error without a schema or a type nothing is known of the arguments
      open({ pack, tools: { book: { execute: (args) => args.flight } } }),
      // @ts-expect-error nor is it of those of a function alone
      open({ pack, tools: { book: (args) => args.flight } })
    ])
  })

  it("are those that a function names, where there is no schema", () => {
    const typed = (args: { readonly flight: string }) => args.flight
    const given: Backstitch.Tools = { book: { execute: typed, readback: typed } }
    void (() => [
      Backstitch.open({ pack, tools: { book: typed } }),
      Backstitch.open({ pack, tools: { book: { execute: typed, readback: (args) => args.flight } } }),
      Backstitch.open({ pack, tools: { book: { input, execute: typed } } }),
      Backstitch.open({ pack, tools: { book: { execute: (args, { key }) => [args, key.trim()] } } }),
      Backstitch.open({ pack, tools: { book: (args: { readonly flight: string }, { key }) => args.flight + key } }),
      Backstitch.open({ pack, tools: { book: { execute: () => 1 }, other: { input, execute: ({ seats }) => seats } } }),
      Backstitch.open({ pack, tools: given }),
      Backstitch.open()
    ])
    assert.hasAllKeys(given, ["book"])
  })
})

describe("the output of a guarded tool", () => {
  const contract = { tool: "charge", input: { order: "string" }, identity: ["order"] }
  const charge = async (args: { readonly order: string }) => ({ receipt: args.order })
  const settings = { contract, store: "memory:" }

  it("is that of its function, or what a question found where the answer was lost", async () => {
    const lost = async (args: { readonly order: string }): Promise<{ readonly receipt: string }> => {
      throw new Error(`no answer for ${args.order}`)
    }
    await using asked = guarded(lost, { ...settings, status: (args) => ({ found: args.order.toUpperCase() }) })
    expectTypeOf(asked).returns.resolves.toEqualTypeOf<{ readonly receipt: string } | { found: string }>()
    const output = await asked({ order: "a1" })
    assert.isTrue("found" in output && output.found === "A1")
  })

  it("has no part that says that nothing was found, or that it is under way", () => {
    const found: { readonly at: Date } | undefined = { at: new Date(0) }
    void (() => {
      const alone = guarded(charge, settings)
      expectTypeOf(alone).returns.resolves.toEqualTypeOf<{ receipt: string }>()
      const same = guarded(charge, { ...settings, status: async ({ order }) => (order ? { receipt: order } : null) })
      expectTypeOf(same).returns.resolves.toEqualTypeOf<{ receipt: string }>()
      const read = guarded(charge, {
        ...settings,
        status: ({ order }) => (order === "" ? "pending" : order === "1" ? new Accepted(1) : undefined),
        readback: async () => found
      })
      expectTypeOf(read).returns.resolves.toEqualTypeOf<{ receipt: string } | { readonly at: string }>()
      const given: GuardOptions<{ readonly order: string }> = settings
      expectTypeOf(guarded(charge, given)).parameter(0).toEqualTypeOf<{ readonly order: string }>()
      // @ts-expect-error `false` says neither that there is something nor that there is nothing
      guarded(charge, { ...settings, status: () => false })
      // @ts-expect-error the arguments have no amount
      guarded(charge, { ...settings, readback: (args) => args.amount })
    })
    assert.deepStrictEqual(found, { at: new Date(0) })
  })
})

describe("the arguments of a call of a run", () => {
  interface Leg {
    readonly from: string
    readonly at?: Date
  }
  interface Trip {
    readonly legs: ReadonlyArray<Leg>
  }
  const trip: Trip = { legs: [{ from: "Bern", at: new Date(0) }] }

  it("may be of an interface type, and are what JSON can write", async () => {
    await using bs = await Backstitch.open({ store: "memory:" })
    const run = await bs.run("trip-42")
    assert.strictEqual((await run.record("observation.add", trip)).status, "done")
    void ((own: Run) => [
      own.tool("book", trip),
      own.tool("book"),
      own.tool("book", { flight: "lx1", seats: [1, null], note: undefined }),
      own.tool<Trip>("book", { legs: [] }),
      // @ts-expect-error a function is gone in JSON
      own.tool("book", { flight: () => "lx1" }),
      // @ts-expect-error JSON has no bigint
      own.tool("book", { legs: [{ from: "Bern", seats: 2n }] }),
      // @ts-expect-error arguments are an object
      own.tool("book", "lx1"),
      // @ts-expect-error a fact has no symbol
      own.record("observation.add", { of: Symbol("Bern") })
    ])
  })
})
