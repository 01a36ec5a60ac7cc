import { assert, describe, it } from "vitest"
import * as z from "zod"
import { Backstitch, type PackDefinition } from "../src/Sdk.ts"

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
