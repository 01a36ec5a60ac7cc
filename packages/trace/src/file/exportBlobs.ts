/** Blobs of a file. No link covers them, so this checks that they belong to its run. */
import * as Digest from "../bytes/Digest.ts"
import * as Payload from "../transition/Payload.ts"
import type { Body } from "../transition/Transition.ts"

/** Packs and initial states that a body pins. */
export const pinnedBy = (body: Body): ReadonlyArray<string> => {
  const began = Payload.of(body, "run.started")
  const pack = began ?? Payload.of(body, "run.fork") ?? Payload.of(body, "run.migrated")
  return [began?.initial, pack?.pack].filter((each) => typeof each === "string")
}

interface UnfitBlob {
  readonly digest: Digest.Digest
  readonly found: "digest" | "domain" | "unbound"
}

const domained = /^backstitch\.(?:pack|initial|leaf|branch|list)\.1\n/

/** The first blob that does not match its digest, or that nothing in the file refers to. */
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
