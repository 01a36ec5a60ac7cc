/**
 * The judge of acts about which contracts do not decide: it compares the arguments of an act with the revised goal.
 *
 * It stands where a model would stand, and is asked as one: in batches, whose size it counts.
 */
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as CompatibilityJudge from "@backstitch/runtime/CompatibilityJudge"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Setting from "../scenario/Setting.ts"
import * as Wanted from "./Wanted.ts"

const Params = Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Number]))
const isParams = Schema.is(Params)

/** The item of a call by its arguments; `undefined` if it has none. */
export const itemOf = (params: unknown): string | undefined =>
  isParams(params) && params["item"] !== undefined ? String(params["item"]) : undefined

/** The judge of one trial. */
export class ContentJudge implements CompatibilityJudge.Judge {
  readonly questionsMax = Number.MAX_SAFE_INTEGER
  /** Characters that were read and answered. */
  characters = 0
  private readonly setting: Setting.Setting
  private readonly pack: TaskPack.TaskPack

  constructor(setting: Setting.Setting, pack: TaskPack.TaskPack) {
    this.setting = setting
    this.pack = pack
  }

  /** Answers a batch. */
  readonly answer: CompatibilityJudge.Judge["answer"] = (batch) =>
    Effect.sync(() => {
      const { pack, setting } = this
      this.characters += JSON.stringify(batch).length
      const wanted = Wanted.of(setting, pack, batch.after)
      const fits = (params: unknown) => isParams(params) && isFitting(setting, wanted, params)
      return new Map(
        batch.questions.map(({ action, params }) => [action, fits(params) ? "compatible" : "conflict"] as const)
      )
    })
}

const isFitting = (
  { scenario: { words } }: Setting.Setting,
  { ceiling, people, theme }: Wanted.Wanted,
  params: typeof Params.Type
): boolean => {
  const [about, total, named] = [words.theme, words.total, words.people].map(({ argument }) => params[argument])
  return (
    (about === "" || about === theme) &&
    Number(total) <= ceiling &&
    (named === "" || people.every((person) => String(named).includes(person)))
  )
}
