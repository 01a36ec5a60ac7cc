/** The numbers of formats: of what this package writes into facts, and of the checkpoints that the graph makes. */
import { BackstitchError } from "@backstitch/sdk"

/** The format of the facts of this package. */
export const factsFormat = 1

/** The newest format of a checkpoint that this package knows. Older ones are brought up to it as they are read. */
export const checkpointFormat = 4

/** Checks that a fact is of a format that this package reads. */
export const checkFacts = (format: unknown, where: string): void => {
  if (format === factsFormat) return
  throw unsupported(
    `${where} is written in format ${shown(format)} of @backstitch/langgraph, which reads ${factsFormat}`
  )
}

/** Checks that a checkpoint is of a format that this package reads and writes. */
export const checkCheckpoint = (version: unknown, where: string): void => {
  if (typeof version === "number" && version >= 1 && version <= checkpointFormat) return
  throw unsupported(
    `${where} is a checkpoint of format ${shown(version)}, and formats 1 to ${checkpointFormat} are known`
  )
}

const shown = (format: unknown): string => JSON.stringify(format) ?? "none"

const unsupported = (what: string): BackstitchError =>
  new BackstitchError({
    code: "checkpoint_format",
    message: `${what}. Go on with the version of LangGraph and of @backstitch/langgraph that wrote it, or upgrade both here`
  })
