/** Generated runs whose goal is revised, judged by what stands at the desk of their providers. */
import * as Absorption from "@backstitch/absorber/Absorption"
import * as AdaptationCost from "@backstitch/absorber/AdaptationCost"
import type * as RevisedSpecification from "@backstitch/contracts/RevisedSpecification"
import type { Proposal } from "@backstitch/kernel/Proposal"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Revising from "../src/revisions/Revising.ts"
import * as lab from "./lab.ts"
import { book, Desk, definition, hire, invite, look, opened, processOf, write } from "./party.ts"
import { looks, proposes } from "./slots.ts"

const City = Schema.Literals(["Bern", "Basel"])
const Moves = Schema.Array(
  Schema.Struct({
    tool: Schema.Literals(["look", "hire", "book", "invite"]),
    name: Schema.Literals(["a", "b"]),
    city: City
  })
).check(Schema.isMaxLength(8))
/** The goal was an event in Bern. */
const Wish = Schema.Struct({
  city: Schema.Literals(["Basel"]),
  budget: Schema.Literals([0, 100, 200, 300]),
  music: Schema.Boolean
})

/** Each name says the city of the thing. A hall costs 100, and what is not named by a clause costs nothing. */
const inCity = (field: string) => `args.${field}.endsWith('@' + clause.city)`
const standing = (table: string, status: string) =>
  `world.${table}.all(each, world.${table}[each] != '${status}' || each.endsWith('@' + clause.city))`
const changes = {
  specification: {
    ...definition.specification,
    city: {
      ...definition.specification.city,
      holds: [
        standing("halls", "hired"),
        standing("bands", "booked"),
        `world.invited.all(each, each.endsWith('@' + clause.city))`
      ].join(" && ")
    }
  },
  tools: {
    ...definition.tools,
    hire: { ...definition.tools.hire, assumes: { city: inCity("hall"), budget: "world.spent <= clause.budget" } },
    book: { ...definition.tools.book, assumes: { city: inCity("band") } },
    invite: { ...definition.tools.invite, assumes: { city: inCity("guest") } }
  },
  budgets: { steps: 200 }
}

const proposalOf = ({ city, name, tool }: (typeof Moves.Type)[number]): Proposal => {
  const thing = `${name}@${city}`
  if (tool === "look") return look(city)
  if (tool === "hire") return hire(thing, city, 100)
  return tool === "book" ? book(thing) : invite(thing, `a@${city}`)
}

const changesOf = ({ budget, city, music }: typeof Wish.Type): ReadonlyArray<RevisedSpecification.RevisionChange> => [
  { change: "set", clause: "city", value: city },
  { change: "set", clause: "budget", value: budget },
  ...(music ? [] : [{ change: "withdraw", clause: "music" } as const])
]

/** Does what is proposed, and revises the goal; answers the plans by both rules, and what the absorption did. */
const revised = (proposals: ReadonlyArray<Proposal>, wish: typeof Wish.Type) =>
  Effect.gen(function* () {
    const desk = new Desk()
    const process = processOf(yield* lab.shared, desk)
    const found = yield* lab.elapsing(
      lab.as(process)(
        Effect.gen(function* () {
          const handle = yield* opened(changes)
          yield* proposes(handle, ...proposals)
          const before = desk.effects.length
          const other = yield* Revising.preview(
            handle,
            { changes: changesOf(wish) },
            { widen: true, by: (acts, way) => Absorption.plan(acts, { ...way, rule: "earliest_conflict" }) }
          )
          yield* Revising.inject(handle, { changes: changesOf(wish) })
          const absorbed = yield* Revising.absorb(handle, { widen: true })
          assert.strictEqual(absorbed?.outcome._tag, "Done")
          return { before, other: other!, own: absorbed!.planned }
        })
      )
    )
    const { differs } = yield* lab.as(process)(looks)
    assert.deepStrictEqual(differs, [])
    return { desk, ...found }
  })

const names = (desk: Desk, field: string, status: string): ReadonlyArray<string> =>
  [...desk.things].flatMap(([thing, is]) => (thing.startsWith(`${field}/`) && is === status ? [thing] : []))

const waste = ({ absorption, acts }: Revising.Planned) => AdaptationCost.of(acts, absorption).waste

describe("the world after a revision", () => {
  it.effect.prop(
    "satisfies each clause that can be satisfied, by the closure, and every other one is named as lost (L12)",
    [Moves, Wish],
    ([moves, wish]) =>
      Effect.gen(function* () {
        const { desk, own } = yield* revised(moves.map(proposalOf), wish)
        const isThere = (thing: string) => thing.endsWith(`@${wish.city}`)
        const [halls, bands, told] = [
          names(desk, "hall", "hired"),
          names(desk, "band", "booked"),
          names(desk, "guest", "told")
        ]
        assert.isTrue([...halls, ...bands].every(isThere))
        assert.isAtMost(100 * halls.length, wish.budget)
        if (!wish.music) assert.deepStrictEqual(bands, [])
        // An invitation cannot be taken back: one for the other city is all that makes the clause impossible.
        const lost = new Set(own.absorption.lost.flatMap(({ clauses }) => clauses))
        assert.deepStrictEqual([...lost], told.every(isThere) ? [] : ["city"])
      }),
    { arbitrary: { runs: 40 } }
  )

  it.effect.prop(
    "is compensated in reverse for what is discarded alone, and the closure wastes no more than the earliest conflict (L12)",
    [Moves, Wish],
    ([moves, wish]) =>
      Effect.gen(function* () {
        const { before, desk, other, own } = yield* revised(moves.map(proposalOf), wish)
        const verbs: Readonly<Record<string, string>> = { hire: "cancel", book: "unbook" }
        const things = own.absorption.undo.map(({ tool, params }) => `${tool} ${Object.values(params as object)[0]}`)
        assert.deepStrictEqual(desk.effects.slice(before), things)
        const kept = own.acts.filter(({ action }) => !own.absorption.discarded.includes(action))
        const undone = new Set(own.absorption.undo.map(({ undoes }) => undoes))
        assert.isFalse(kept.some(({ action }) => undone.has(action)))
        const reversed = own.acts.filter(({ action }) => undone.has(action)).toReversed()
        assert.deepStrictEqual(
          own.absorption.undo.map(({ tool, undoes }) => [undoes, tool]),
          reversed.map(({ action, tool }) => [action, verbs[tool]])
        )
        assert.isAtMost(waste(own), waste(other))
      }),
    { arbitrary: { runs: 40 } }
  )

  it.effect.prop(
    "is as it was, at no cost, if the run has only read (L12)",
    [Schema.Array(City).check(Schema.isMaxLength(6)), Wish],
    ([cities, wish]) =>
      Effect.gen(function* () {
        const { desk, other, own } = yield* revised([...cities.map(look), write("soup")], wish)
        assert.deepStrictEqual([desk.effects, own.absorption.discarded], [[], []])
        for (const { absorption, acts } of [own, other])
          assert.strictEqual(AdaptationCost.of(acts, absorption).total, 0)
      }),
    { arbitrary: { runs: 15 } }
  )
})
