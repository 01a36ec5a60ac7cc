/**
 * Changes of a goal as they are typed: `set city=Basel`, `add quiet: world.noise < 3`, `withdraw music`, or
 * `first budget, city`.
 */
import type * as RevisedSpecification from "@backstitch/contracts/RevisedSpecification"
import type * as Specification from "@backstitch/contracts/Specification"
import * as Effect from "effect/Effect"
import * as Clause from "../../input/Clause.ts"
import { Usage } from "../../terminal/Failure.ts"

type Change = RevisedSpecification.RevisionChange

/** The forms of a change. */
export const forms = "set NAME=VALUE, add NAME: CONDITION, withdraw NAME, first NAME, NAME"

/** Reads a change. Values are read as the clauses of the contract declare them. */
export const parse = Effect.fnUntraced(function* (text: string, specification: Specification.Specification) {
  const [, verb = "", rest = ""] = /^\s*(\w+)\s+(.*?)\s*$/s.exec(text) ?? []
  switch (verb) {
    case "set":
      return yield* set(rest.replace(/^(\w+)\s*=\s*/, "$1="), specification)
    case "add":
      return yield* add(rest)
    case "withdraw":
      return yield* withdraw(rest)
    case "first":
      return yield* first(rest)
    default:
      return yield* new Usage({ problem: `"${text}" is no change of the goal. A change is written ${forms}` })
  }
})

/** Reads `NAME=VALUE`. */
export const set = (pair: string, specification: Specification.Specification) =>
  Effect.map(Clause.parse([pair], specification), (values): Change => {
    const [[clause, value = null] = [""]] = Object.entries(values)
    return { change: "set", clause, value }
  })

/** Reads `NAME: CONDITION`. */
export const add = Effect.fnUntraced(function* (text: string) {
  const [, clause, holds] = /^\s*(\w+)\s*:\s*(.+)$/s.exec(text) ?? []
  if (clause !== undefined && holds !== undefined) return { change: "add", clause, holds } satisfies Change
  return yield* new Usage({ problem: `A clause is added as NAME: CONDITION, and "${text}" is not written so` })
})

/** Reads the name of a clause that is withdrawn. */
export const withdraw = Effect.fnUntraced(function* (clause: string) {
  const named = clause.trim()
  if (named !== "") return { change: "withdraw", clause: named } satisfies Change
  return yield* new Usage({ problem: "A clause is withdrawn by its name, and none is given" })
})

/** Reads an order of clauses, the most important one first. */
export const first = Effect.fnUntraced(function* (names: string) {
  const clauses = names.split(",").map((each) => each.trim())
  if (!clauses.includes("")) return { change: "prioritise", clauses } satisfies Change
  return yield* new Usage({ problem: `An order is written NAME, NAME, and "${names}" leaves out a name` })
})
