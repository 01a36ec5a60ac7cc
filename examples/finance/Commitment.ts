/**
 * Fifty imports of orders, of which those that would violate their context have to be refused, each with its reason.
 *
 * Every case draws two accounts and computes, without the contract, whether the order of the one is justified in the
 * other. Then the same cases are run with a contract that declares no context, and the unjustified orders that it
 * accepts are counted.
 *
 * @source Dendrer, section 4.8: zero silent imports on violation
 */
import * as CherryPicking from "@backstitch/runtime/CherryPicking"
import * as History from "@backstitch/runtime/History"
import type { RunHandle } from "@backstitch/runtime/RunHandle"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Effect from "effect/Effect"
import * as Desk from "./Desk.ts"

/** The reasons for which an order is not justified in the target; `none` if it is. */
export const flaws = [
  "none",
  "other profile",
  "profile missing",
  "limit missing",
  "other version",
  "contract grew"
] as const

/** The reason for which an order is not justified in the target. */
export type Flaw = (typeof flaws)[number]

/** One case and its outcome. `sent` tells whether the broker was asked to buy. */
export interface Case {
  readonly number: number
  readonly flaw: Flaw
  readonly warned: boolean
  readonly imported: boolean
  readonly sent: boolean
  readonly changed: boolean
  readonly reasons: ReadonlyArray<string>
}

/** Runs the cases of a seed, with the contract or with one that declares no context. */
export const run = Effect.fnUntraced(function* (options: {
  readonly seed: number
  readonly cases: number
  readonly contracts: boolean
}) {
  const random = mulberry32(options.seed)
  const cases: Array<Case> = []
  for (let number = 1; number <= options.cases; number++) {
    const drawn = draw(number, random)
    const broker = new Desk.Broker()
    const one = tried(drawn, broker, options.contracts).pipe(
      Effect.scoped,
      Effect.provide(Desk.layer(broker), { local: true })
    )
    cases.push({ number, flaw: drawn.flaw, ...(yield* one) })
  }
  return cases
})

interface Drawn {
  readonly flaw: Flaw
  readonly profile: "MIN" | "MAX"
  readonly cash: readonly [number, number]
  readonly shares: readonly [number, number]
  readonly looked: boolean
  readonly sameVolatility: boolean
}

/** Every flaw occurs, in random order; three of five cases have a flaw. */
const draw = (number: number, random: () => number): Drawn => {
  const below = (limit: number): number => Math.floor(random() * limit)
  const flaw = number % 5 < 3 ? flaws[1 + below(flaws.length - 1)]! : "none"
  return {
    flaw,
    profile: random() < 0.5 ? "MAX" : "MIN",
    cash: [50_000 + below(50_000), 200 + below(100_000)],
    shares: [below(5000), below(5000)],
    looked: random() < 0.5,
    sameVolatility: random() < 0.5
  }
}

const tried = Effect.fnUntraced(function* (drawn: Drawn, broker: Desk.Broker, contracts: boolean) {
  const { cash, flaw, looked, profile, sameVolatility, shares } = drawn
  const pack = contracts ? Desk.pack : Desk.packWithoutContext
  const renamed = (yaml: string) => yaml.replace("version: 1.0.0", "version: 2.0.0")
  const later = contracts ? Desk.packOf(renamed) : Desk.packWithoutContext
  const source = yield* Desk.open({ name: "source", cash: cash[0], shares: shares[0], pack })
  yield* source.propose(
    Desk.observed({
      risk_threshold: Desk.thresholds[profile],
      risk_limit: 0.85,
      volatility: 0.21,
      is_simulation: false
    })
  )
  const dependsOn = looked && contracts ? ["working.market_volatility_index"] : []
  yield* source.propose(Desk.order("o-1", { shares: 1000, cost: 48_000 }, dependsOn))
  const target = yield* Desk.open({
    name: "target",
    cash: cash[1],
    shares: shares[1],
    pack: flaw === "other version" ? later : pack
  })
  yield* prepare(target, drawn, contracts, sameVolatility)
  const history = yield* History.History
  const before = yield* history.info(target.run)
  const sentBefore = broker.sent
  const { outcome, verdict } = yield* CherryPicking.pick({ from: source.run, tick: 3, onto: target.run })
  const after = yield* history.info(target.run)
  return {
    warned: verdict.warnings.length > 0,
    imported: verdict.accepted && outcome?._tag === "Done",
    sent: broker.sent > sentBefore,
    changed: after.head.link !== before.head.link,
    reasons: verdict.reasons.map(({ code, path }) => (path === undefined ? code : `${code} ${path}`))
  }
})

/** Prepares the target with the one flaw of its case. */
const prepare = Effect.fnUntraced(function* (
  target: RunHandle,
  { flaw, profile }: Drawn,
  contracts: boolean,
  sameVolatility: boolean
) {
  const other = profile === "MAX" ? "MIN" : "MAX"
  const seen: JsonObject = {
    ...(flaw === "profile missing"
      ? {}
      : { risk_threshold: Desk.thresholds[flaw === "other profile" ? other : profile] }),
    ...(flaw === "limit missing" ? {} : { risk_limit: 0.6 }),
    volatility: sameVolatility ? 0.21 : 0.7,
    is_simulation: false
  }
  yield* target.propose(Desk.observed(seen))
  if (flaw !== "contract grew" || !contracts) return
  const { head } = yield* target.position
  const data = {
    target_contract: "execute_transaction",
    adds_required: ["is_simulation"],
    adds_hash_seeds: ["is_simulation"],
    effective_from_tick: head.tick + 2,
    approved_by: "risk committee"
  }
  yield* target.propose({ type: "policy.contract_extension", author: "institution", data })
})

/** The cases as a table: the flaw, the number of refused and of imported orders, and the reasons. */
export const table = (withContracts: ReadonlyArray<Case>, without: ReadonlyArray<Case>): string => {
  const header = [
    "what is wrong in the target",
    "cases",
    "refused",
    "silent",
    "silent without contracts",
    "reason given"
  ]
  const rows = flaws.map((flaw) => {
    const [ours, theirs] = [withContracts, without].map((cases) => cases.filter((each) => each.flaw === flaw))
    const reasons = new Set(ours!.flatMap((each) => each.reasons))
    const silent = (cases: ReadonlyArray<Case>) => String(flaw === "none" ? 0 : cases.filter(isSilent).length)
    const refused = ours!.filter((each) => !each.imported).length
    return [flaw, String(ours!.length), String(refused), silent(ours!), silent(theirs!), [...reasons].join(", ")]
  })
  const widths = header.map((title, index) => Math.max(title.length, ...rows.map((row) => row[index]!.length)))
  return [header, ...rows]
    .map((row) =>
      row
        .map((cell, index) => cell.padEnd(widths[index]!))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

/** Tells whether an unjustified order was accepted. */
export const isSilent = ({ flaw, imported, sent }: Case): boolean => flaw !== "none" && (imported || sent)

/** A small generator with a seed, so that the cases are the same on every machine. */
const mulberry32 = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
}
