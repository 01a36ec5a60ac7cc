/** Reads the further sources that a contract names. Each is asked, whatever the others answer. */

import type { CallRequest } from "@backstitch/kernel/Decision"
import type { Evidence, SourceEvidence } from "@backstitch/kernel/Evidence"
import * as Effect from "effect/Effect"
import type * as ToolExecutor from "../ports/ToolExecutor.ts"

/** Reads the sources, in the order in which the contract names them. */
export const readSources = <E, R>(
  request: CallRequest,
  read: (request: ToolExecutor.ToolRequest) => Effect.Effect<Evidence, E, R>
): Effect.Effect<ReadonlyArray<SourceEvidence>, E, R> =>
  Effect.forEach(request.sources ?? [], (source) =>
    Effect.map(read({ ...request, source }), (evidence): SourceEvidence => ({ source, evidence }))
  )
