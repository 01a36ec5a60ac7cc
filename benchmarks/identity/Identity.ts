/**
 * Errors of normalisers, over a published list of pairs: two acts taken for one, and one act for two.
 *
 * A pair is two values of one identity field, and whether a person reads them as the same. The treatment of the
 * second value follows from the two answers of the rule: one spelling is adopted, one key with another spelling is
 * refused, and another key is another act. A value without an answer is refused.
 */
import * as Fs from "node:fs"
import * as Normaliser from "@backstitch/contracts/Normaliser"
import * as Result from "effect/Result"
import type * as Figure from "../src/Figure.ts"
import { measured } from "../src/Figure.ts"

/** Two values of an identity field, and whether they mean the same. */
export interface Pair {
  readonly rule: Normaliser.Normaliser
  readonly kind: string
  readonly means: "same" | "different"
  readonly one: Parameters<typeof Normaliser.read>[1]
  readonly other: Parameters<typeof Normaliser.read>[1]
}

/** The treatment of the second value of a pair after the first. */
export type Treatment = "adopted" | "refused" | "sent"

/** The published list. */
export const pairs: ReadonlyArray<Pair> = Fs.readFileSync(new URL("pairs.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Pair)

/** Tells the treatment of the second value of a pair after the first. */
export const treatmentOf = ({ one, other, rule }: Pair): Treatment => {
  const [first, second] = [Normaliser.read(rule, one), Normaliser.read(rule, other)]
  if (Result.isFailure(first) || Result.isFailure(second)) return "refused"
  if (first.success.key !== second.success.key) return "sent"
  return JSON.stringify(first.success.spelling) === JSON.stringify(second.success.spelling) ? "adopted" : "refused"
}

/** Counts the treatments of pairs that mean the same, or that do not. */
export const count = (means: Pair["means"]): { readonly [T in Treatment]: number } & { readonly all: number } => {
  const treated = pairs.filter((pair) => pair.means === means).map(treatmentOf)
  const of = (treatment: Treatment) => treated.filter((each) => each === treatment).length
  return { adopted: of("adopted"), all: treated.length, refused: of("refused"), sent: of("sent") }
}

const figure = (name: string, title: string, within?: number): Figure.Figure => ({
  name: `identity-${name}`,
  title,
  better: "less",
  unit: "%",
  durability: "",
  ...(within === undefined ? {} : { within })
})

/** Rates of false merge and false split. */
export const benchmark: Figure.Benchmark = {
  name: "identity",
  run: async () => {
    const [same, different] = [count("same"), count("different")]
    const share = (part: number, { all }: { readonly all: number }) => [(100 * part) / all]
    const note = (part: number, { all }: { readonly all: number }) => `${part} of ${all}`
    return [
      measured(
        figure("merge", "false merge: another act is answered from the record", 0),
        share(different.adopted, different),
        note(different.adopted, different)
      ),
      measured(
        figure("held", "another act is refused, because it may be the same"),
        share(different.refused, different),
        note(different.refused, different)
      ),
      measured(
        figure("split", "false split: the same act in other words is sent again"),
        share(same.sent, same),
        note(same.sent, same)
      ),
      measured(
        figure("doubt", "the same act in other words is refused"),
        share(same.refused, same),
        note(same.refused, same)
      )
    ]
  }
}
