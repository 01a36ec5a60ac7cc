/** One line for a memo, by which the agents of a topology coordinate. */
import * as Duration from "@backstitch/contracts/Duration"
import type * as Memo from "@backstitch/topology/Memo"
import type { Json } from "@backstitch/trace/Canonical"

/** Describes a memo. `brief` makes a value short. */
export const of = (memo: Memo.Malformed | Memo.Memo, brief: (value: Json) => string): string => {
  switch (memo.memo) {
    case "dispatch":
      return `orders ${memo.task} from ${memo.worker}${memo.brief === undefined ? "" : `: ${brief(memo.brief)}`}`
    case "report":
      return `hands in ${memo.task}: ${brief(memo.result)}`
    case "failure":
      return `has no result of ${memo.task}: ${brief(memo.reason)}`
    case "wait": {
      const since = `waits for ${memo.task} from ${memo.worker} since ${Duration.format(memo.millis)}`
      return `${since}: without topology.silence, nobody orders it again`
    }
    case "collect":
      return `takes ${memo.task} over`
    case "gate":
      return `${memo.whole === true ? "the whole" : memo.stage} is ${memo.green ? "green" : "red"}`
    case "plan":
      return `plans ${memo.steps.join(", ")}${memo.assumes === undefined ? "" : `; assumes ${brief(memo.assumes)}`}`
    case "step":
      return `step ${memo.step} ${stepped[memo.status]}${memo.missing === undefined ? "" : `: ${memo.missing} is missing`}`
    case "round":
      return `round ${memo.round} is complete: ${brief(memo.draft)}`
    case "load":
      return `${memo.waiting} wait at the root, ${memo.idle} are idle`
    case "aggregate":
      return `brings ${memo.of} results of level ${memo.level} together`
    case "malformed": {
      const task = memo.task === undefined ? "" : ` of ${memo.task}`
      const given = memo.unfit === undefined ? "" : `: ${brief(memo.unfit)}`
      return `${memo.meant === "" ? "a memo" : `a ${memo.meant}`}${task} that has not the form of one${given}`
    }
  }
}

const stepped: { readonly [S in Extract<Memo.Memo, { readonly memo: "step" }>["status"]]: string } = {
  begun: "begins",
  done: "is done",
  failed: "has failed",
  skipped: "is left out"
}
