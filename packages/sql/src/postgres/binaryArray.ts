/**
 * Arrays in the server's binary format. As text, each byte of a digest would be two digits and each quote of a JSON
 * text would be escaped, which costs time at both ends.
 */

/** Writes an array of texts. */
export const ofTexts = (texts: ReadonlyArray<string>): Buffer => {
  const array = begin(types.text, texts, (text) => Buffer.byteLength(text))
  let at = headBytes
  for (const text of texts) {
    const size = array.write(text, at + 4)
    array.writeInt32BE(size, at)
    at += 4 + size
  }
  return array
}

/** Writes an array of bytes. */
export const ofBytes = (items: ReadonlyArray<Buffer>): Buffer => {
  const array = begin(types.bytes, items, ({ length }) => length)
  let at = headBytes
  for (const item of items) {
    array.writeInt32BE(item.length, at)
    at += 4 + item.copy(array, at + 4)
  }
  return array
}

/** The numbers of the types in the server's catalog; they are the same on every server. */
const types = { bytes: 17, text: 25 }

const headBytes = 20

/** Allocates an array: dimensions, a flag for nulls, the type, the number of items and the index of the first. */
const begin = <Item>(type: number, items: ReadonlyArray<Item>, sizeOf: (item: Item) => number): Buffer => {
  const array = Buffer.allocUnsafe(items.reduce((sum, item) => sum + 4 + sizeOf(item), headBytes))
  for (const [index, field] of [1, 0, type, items.length, 1].entries()) array.writeInt32BE(field, 4 * index)
  return array
}
