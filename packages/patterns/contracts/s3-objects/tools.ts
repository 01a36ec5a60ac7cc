/**
 * Tools for the API of S3 under the contract beside this file: objects in a bucket with versions.
 *
 * `fetch` has to sign its requests (SigV4), as that of `AwsClient` of the package aws4fetch does.
 */
import { createHash } from "node:crypto"

/** Settings: the address of the service, and a fetch that signs. */
export interface Options {
  readonly endpoint: string
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
}

interface Context {
  readonly key: string | undefined
  readonly signal: AbortSignal
  readonly observed: unknown
}

interface Put {
  readonly bucket: string
  readonly path: string
  readonly text: string
  readonly hash: string
}

interface Version {
  readonly bucket: string
  readonly path: string
  readonly version: string
}

/** An error that says for good that nothing happened. Whatever else is thrown leaves the outcome unknown. */
const refused = (detail: unknown): Error =>
  Object.assign(new Error(JSON.stringify(detail)), { _tag: "ToolRefused", detail })

/** The digest of a text, as the argument `hash` of `put_object` has it. */
export const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex")

/** Makes the tools. */
export const s3Objects = ({ endpoint, fetch }: Options) => {
  const urlOf = (bucket: string, path: string): string =>
    `${endpoint}/${bucket}/${path.split("/").map(encodeURIComponent).join("/")}`

  const check = (response: Response): Response => {
    if (response.ok || response.status === 404) return response
    const isKnown = response.status < 500 && response.status !== 408 && response.status !== 429
    throw isKnown ? refused(response.status) : new Error(`the store answered ${response.status}`)
  }

  const head = async (bucket: string, path: string, signal: AbortSignal) => {
    const response = check(await fetch(urlOf(bucket, path), { method: "HEAD", signal }))
    if (response.status === 404) return undefined
    return {
      path,
      hash: response.headers.get("x-amz-meta-hash"),
      key: response.headers.get("x-amz-meta-backstitch-key"),
      version: response.headers.get("x-amz-version-id")
    }
  }

  const isThere = async ({ bucket, path, version }: Version, signal: AbortSignal): Promise<boolean> => {
    const url = `${urlOf(bucket, path)}?versionId=${encodeURIComponent(version)}`
    return check(await fetch(url, { method: "HEAD", signal })).status !== 404
  }

  return {
    put_object: {
      execute: async ({ bucket, hash, path, text }: Put, { key = "", signal }: Context) => {
        if (hashOf(text) !== hash) throw refused("hash is not the digest of text")
        const headers = {
          "content-type": "text/plain; charset=utf-8",
          "x-amz-meta-backstitch-key": key,
          "x-amz-meta-hash": hash,
          "x-amz-checksum-sha256": Buffer.from(hash, "hex").toString("base64")
        }
        const response = check(await fetch(urlOf(bucket, path), { method: "PUT", body: text, headers, signal }))
        if (response.status === 404) throw refused(`there is no bucket ${bucket}`)
        return { version: response.headers.get("x-amz-version-id") }
      },
      status: async ({ key, signal }: Context, { bucket, path }: Put) => {
        const found = await head(bucket, path, signal)
        return found?.key === key ? { version: found?.version ?? null } : undefined
      },
      readback: ({ signal }: Context, { bucket, path }: Put) => head(bucket, path, signal)
    },
    delete_version: {
      execute: async (args: Version, { signal }: Context) => {
        const url = `${urlOf(args.bucket, args.path)}?versionId=${encodeURIComponent(args.version)}`
        check(await fetch(url, { method: "DELETE", signal }))
        return { version: args.version }
      },
      status: async ({ signal }: Context, args: Version) =>
        (await isThere(args, signal)) ? undefined : { version: args.version },
      readback: async ({ signal }: Context, args: Version) => ({
        path: args.path,
        gone: !(await isThere(args, signal))
      })
    }
  }
}
