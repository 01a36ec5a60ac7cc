/** Carries whole runs in and out. */
import { createHash } from "node:crypto"
import { BackstitchApi } from "@backstitch/api/BackstitchApi"
import * as ExchangeApi from "@backstitch/api/ExchangeApi"
import * as EvidenceRun from "@backstitch/runtime/EvidenceRun"
import * as ExportFile from "@backstitch/runtime/ExportFile"
import * as RunExport from "@backstitch/runtime/RunExport"
import * as UntrustedExport from "@backstitch/runtime/UntrustedExport"
import * as Export from "@backstitch/trace/Export"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type * as HttpApiError from "effect/http-api/HttpApiError"
import * as Stream from "effect/Stream"
import { about, answer } from "../answer/Answering.ts"
import { RequestTooLarge } from "../answer/RequestTooLarge.ts"
import * as Writes from "../answer/Writes.ts"
import * as Secrets from "../store/Secrets.ts"

/** Reads an export from a body, line by line, and answers it with the digest of the body. */
const read = Effect.fnUntraced(function* <R>(body: Stream.Stream<Uint8Array, HttpApiError.HttpApiPayloadTooLarge, R>) {
  const decoder = new Export.Decoder()
  // Piece by piece, as the body arrives: `Digest` takes whole texts.
  const content = createHash("sha256")
  yield* body.pipe(
    Stream.tap((piece) => Effect.sync(() => content.update(piece))),
    Stream.mapError((tooLarge) => new RequestTooLarge({ importBytesMax: Number(tooLarge.size) })),
    Stream.decodeText(),
    Stream.splitLines,
    Stream.runForEach((line) => {
      const problem = decoder.push(line)
      return problem === undefined ? Effect.void : Effect.fail(problem)
    })
  )
  const exported = yield* Effect.fromResult(decoder.finish())
  return { content: content.digest("hex"), exported }
})

/** Layer of the group. */
export const layer = HttpApiBuilder.group(BackstitchApi, "exchange", (group) =>
  group.handleAll({
    export: ({ params, query: { behind } }) =>
      about(
        params,
        Effect.fnUntraced(function* (run) {
          const exported = yield* behind === undefined ? RunExport.exportRun(run) : RunExport.behind(run, behind)
          const pieces = ExportFile.pieces(exported) as Iterable<string>
          return HttpServerResponse.stream(Stream.encodeText(Stream.fromIterable(pieces)), {
            contentType: ExchangeApi.contentType,
            headers: { "content-disposition": `attachment; filename="${run.id}.jsonl"` }
          })
        })
      ),
    import: (arrived) =>
      answer(
        Effect.fnUntraced(function* (caller) {
          const { content, exported } = yield* read(arrived.payload)
          const refusal = UntrustedExport.refusal(exported)
          if (refusal !== undefined) return yield* refusal
          const { name, tenant } = caller
          yield* Secrets.noteBeforeImport(tenant)
          const call = Effect.map(EvidenceRun.importRun(exported, { tenant, by: name }), (run) => ({ runs: [run] }))
          return yield* Writes.writeRead(arrived, { caller, content, call }, ExchangeApi.Brought)
        })
      )
  })
)
