/**
 * Objects with versions as S3 answers them. Each request has to carry a valid signature.
 *
 * @source Amazon S3, "PutObject", "HeadObject", "DeleteObject" and "Signature Version 4"
 */
import { createHash, randomUUID } from "node:crypto"
import { AwsV4Signer } from "aws4fetch"
import type { Make, Reply, Request } from "./Provider.ts"
import * as Records from "./Records.ts"

/** The credentials of the only account. */
export const account = { accessKeyId: "AKIAWORLD", secretAccessKey: "a secret of the world", region: "us-east-1" }

interface Version {
  readonly version: string
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
}

const error = (status: number, code: string): Reply => ({
  status,
  body: `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code></Error>`
})

/** Signs the request once more under the account's secret, and compares. */
const isSigned = async ({ body, headers, method, url }: Request): Promise<boolean> => {
  const given = headers["authorization"] ?? ""
  const names = /SignedHeaders=([\w;-]+)/.exec(given)?.[1]?.split(";") ?? []
  const signed = Object.fromEntries(names.filter((name) => name !== "host").map((name) => [name, headers[name] ?? ""]))
  const signer = new AwsV4Signer({
    ...account,
    method,
    url,
    headers: signed,
    service: "s3",
    datetime: headers["x-amz-date"] ?? "",
    allHeaders: true,
    ...(body === "" ? {} : { body })
  })
  return (await signer.sign()).headers.get("authorization") === given
}

/** The provider. */
export const make: Make = (database) => {
  const objects = Records.make<ReadonlyArray<Version>>(database, "s3.objects")

  const put = (name: string, { body, headers }: Request): Reply => {
    const sum = headers["x-amz-checksum-sha256"]
    if (sum !== undefined && createHash("sha256").update(body).digest("base64") !== sum) return error(400, "BadDigest")
    const kept = Object.entries(headers).filter(([key]) => key.startsWith("x-amz-meta-"))
    const version = randomUUID().replaceAll("-", "")
    const made = { version, text: body, headers: Object.fromEntries(kept) as Record<string, string> }
    objects.put(name, [...(objects.get(name) ?? []), made])
    return { status: 200, headers: { "x-amz-version-id": version } }
  }

  return async (request) => {
    const { method, path, query } = request
    if (!(await isSigned(request))) return error(403, "SignatureDoesNotMatch")
    const name = path.join("/")
    if (path[0] === "missing") return error(404, "NoSuchBucket")
    if (method === "PUT") return put(name, request)
    const versions = objects.get(name) ?? []
    const wanted = query.get("versionId")
    const found = wanted === null ? versions.at(-1) : versions.find(({ version }) => version === wanted)
    if (method === "DELETE") {
      objects.put(
        name,
        versions.filter((each) => each !== found)
      )
      return { status: 204 }
    }
    if (found === undefined) return { status: 404 }
    return { status: 200, headers: { ...found.headers, "x-amz-version-id": found.version } }
  }
}
