/**
 * Reads the protobuf form of an OTLP request of spans into its JSON form.
 *
 * Only the fields that tell of a run are kept. Each message and each length is within the bytes that hold it, and
 * nesting and the number of values are bounded, so that no body costs more than its size.
 *
 * @source OpenTelemetry, the protocol; Protocol Buffers, the wire format
 */
import * as Limits from "./Limits.ts"

/** The ways in which a field is read. */
type Kind = "bytes" | "bool" | "double" | "enum" | "fixed64" | "hex" | "int64" | "string" | Message

interface Message {
  readonly [field: number]: readonly [name: string, kind: () => Kind, repeated?: "repeated"]
}

const string = () => "string" as const

const anyValue: Message = {
  1: ["stringValue", string],
  2: ["boolValue", () => "bool"],
  3: ["intValue", () => "int64"],
  4: ["doubleValue", () => "double"],
  5: ["arrayValue", () => ({ 1: ["values", () => anyValue, "repeated"] })],
  6: ["kvlistValue", () => ({ 1: ["values", () => keyValue, "repeated"] })],
  7: ["bytesValue", () => "bytes"]
}

const keyValue: Message = { 1: ["key", string], 2: ["value", () => anyValue] }

const event: Message = { 2: ["name", string], 3: ["attributes", () => keyValue, "repeated"] }

const status: Message = { 2: ["message", string], 3: ["code", () => "enum"] }

const span: Message = {
  1: ["traceId", () => "hex"],
  2: ["spanId", () => "hex"],
  5: ["name", string],
  7: ["startTimeUnixNano", () => "fixed64"],
  9: ["attributes", () => keyValue, "repeated"],
  11: ["events", () => event, "repeated"],
  15: ["status", () => status]
}

const scopeSpans: Message = { 2: ["spans", () => span, "repeated"] }

const resourceSpans: Message = { 2: ["scopeSpans", () => scopeSpans, "repeated"] }

const request: Message = { 1: ["resourceSpans", () => resourceSpans, "repeated"] }

/** Reads a request. Throws an error with the fault of the bytes. */
export const read = (bytes: Uint8Array): object => new Reader(bytes).message(request, 0, bytes.length, 0)

const text = new TextDecoder()

class Reader {
  private readonly bytes: Uint8Array
  private readonly view: DataView
  private at = 0
  private values = 0

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  message(type: Message, from: number, to: number, level: number): Record<string, unknown> {
    if (level > Limits.refusing.spanLevelsMax) throw new Error(`it nests more than ${level - 1} levels deep`)
    const found: Record<string, unknown> = {}
    this.at = from
    while (this.at < to) {
      const tag = this.varint(to)
      const [field, wire] = [Number(tag >> 3n), Number(tag & 7n)]
      const known = Object.hasOwn(type, field) ? type[field] : undefined
      if (known === undefined) {
        this.skip(wire, to)
        continue
      }
      if (++this.values > Limits.refusing.spanValuesMax) {
        throw new Error(`it holds more than ${Limits.refusing.spanValuesMax} values`)
      }
      const [name, kind, repeated] = known
      const value = this.value(kind(), wire, to, level)
      if (repeated === undefined) found[name] = value
      else if (Array.isArray(found[name])) found[name].push(value)
      else found[name] = [value]
    }
    return found
  }

  private value(kind: Kind, wire: number, to: number, level: number): unknown {
    if (kind === "bool" || kind === "enum" || kind === "int64") {
      this.expect(wire, 0)
      const number = this.varint(to)
      if (kind === "bool") return number !== 0n
      return kind === "enum" ? Number(number) : String(BigInt.asIntN(64, number))
    }
    if (kind === "double" || kind === "fixed64") {
      this.expect(wire, 1)
      const at = this.advance(8, to)
      if (kind === "fixed64") return String(this.view.getBigUint64(at, true))
      const double = this.view.getFloat64(at, true)
      return Number.isFinite(double) ? double : String(double)
    }
    this.expect(wire, 2)
    const length = this.varint(to)
    const from = this.advance(length > BigInt(to) ? to + 1 : Number(length), to)
    const end = this.at
    if (kind === "string") return text.decode(this.bytes.subarray(from, end))
    if (kind === "hex") return Buffer.from(this.bytes.subarray(from, end)).toString("hex")
    if (kind === "bytes") return Buffer.from(this.bytes.subarray(from, end)).toString("base64")
    const message = this.message(kind, from, end, level + 1)
    this.at = end
    return message
  }

  private varint(to: number): bigint {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.bytes[this.advance(1, to)] ?? 0
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return BigInt.asUintN(64, value)
    }
    throw new Error(`a number at byte ${this.at} has no end`)
  }

  private skip(wire: number, to: number): void {
    if (wire === 0) this.varint(to)
    else if (wire === 1) this.advance(8, to)
    else if (wire === 5) this.advance(4, to)
    else if (wire === 2) {
      const length = this.varint(to)
      this.advance(length > BigInt(to) ? to + 1 : Number(length), to)
    } else throw new Error(`byte ${this.at} begins no field`)
  }

  private expect(wire: number, wanted: number): void {
    if (wire !== wanted) throw new Error(`byte ${this.at} begins a field of another type than OTLP has`)
  }

  private advance(bytes: number, to: number): number {
    const from = this.at
    if (from + bytes > to) throw new Error(`it ends within a field, at byte ${from}`)
    this.at = from + bytes
    return from
  }
}
