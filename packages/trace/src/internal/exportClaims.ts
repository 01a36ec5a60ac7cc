/**
 * Claims of a file that no link binds: what bodies say of their run, and which blobs belong to it.
 *
 * @since 0.1.0
 */
import * as Digest from "../Digest.ts"
import type { Head } from "../HashChain.ts"
import * as JsonText from "../JsonText.ts"
import * as Ontology from "../Ontology.ts"
import * as Payload from "../Payload.ts"
import type { Run } from "../Run.ts"
import type { Body } from "../Transition.ts"

/** Bodies that say of the run what the file says of it, or pin its blobs. */
export const tellsOfRun = /"type":"run\.(?:started|fork|migrated)"/

export const bodyOf = (text: string): Body => JsonText.read(text) as Body

/** Packs and initial states that a body pins. */
export const pinnedBy = (body: Body): ReadonlyArray<string> => {
  const began = Payload.of(body, "run.started")
  const pack = began ?? Payload.of(body, "run.fork") ?? Payload.of(body, "run.migrated")
  return [began?.initial, pack?.pack].filter((each) => typeof each === "string")
}

/**
 * Says what a body claims of its run that is not so: a beginning names the tenant, the format and the ontology of the
 * run, and a fork the link that it extends. Nothing where it claims nothing, or what is so.
 */
export const contradiction = (
  body: Body,
  at: {
    readonly run: Run
    readonly ontology: number
    readonly tick: number
    readonly before: Head
    readonly isFork: boolean
  }
): string | undefined => {
  if (body.type === "run.fork") {
    if (!at.isFork) return "a run.fork is the first transition of a fork alone"
    const isBound = Payload.of(body, "run.fork")?.link === at.before.link
    return isBound ? undefined : "its link is not the one that the fork extends"
  }
  if (body.type !== "run.started") return undefined
  if (at.tick !== 1) return "a run.started is the first transition of a run alone"
  const said = Payload.of(body, "run.started")
  if (said?.tenant !== at.run.tenant) return `its tenant is not the ${at.run.tenant} of the run`
  if (said.format !== 1) return "its format is not the 1 of the run"
  if (said.ontology !== at.ontology) return `its ontology is not the ${at.ontology} of the run`
  const reserved = Object.keys(said.namespaces ?? {}).find((name) => !Ontology.isForeign(`${name}.a`))
  return reserved === undefined ? undefined : `its namespace ${JSON.stringify(reserved)} is no embedder's`
}

interface UnfitBlob {
  readonly digest: Digest.Digest
  readonly found: "digest" | "domain" | "unbound"
}

const domained = /^backstitch\.(?:pack|initial|leaf|branch|list)\.1\n/

/** The first blob that is not what its digest says, or that nothing in the file asks for. */
export const unfitBlob = (
  blobs: ReadonlyMap<Digest.Digest, string>,
  pinned: ReadonlyArray<string>
): UnfitBlob | undefined => {
  for (const [digest, text] of blobs) {
    if (Digest.ofBytes(text) !== digest) return { digest, found: "digest" }
    if (!domained.test(text)) return { digest, found: "domain" }
  }
  const pending = [...pinned]
  const bound = new Set<string>()
  for (let digest = pending.pop(); digest !== undefined; digest = pending.pop()) {
    const text = blobs.get(digest as Digest.Digest)
    if (text === undefined || bound.has(digest)) continue
    bound.add(digest)
    for (const named of text.match(/[0-9a-f]{64}/g) ?? []) pending.push(named)
  }
  const loose = [...blobs.keys()].find((digest) => !bound.has(digest))
  return loose === undefined ? undefined : { digest: loose, found: "unbound" }
}
