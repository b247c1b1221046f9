/** Rows of terms with what they stand for and how much each row counts. */
export type Examples = { rows: Float64Array[]; isMatch: boolean[]; weight: number[] };

const STEPS = 14;

/** The weights of a logistic regression with a ridge, by Newton's method; the same for the same examples. */
export function fitLogistic({ rows, isMatch, weight }: Examples, ridge: number): Float64Array {
  const size = rows[0]?.length ?? 0;
  const total = weight.reduce((sum, each) => sum + each, 0) || 1;
  const fitted = new Float64Array(size);
  for (let step = 0; step < STEPS; step++) {
    const gradient = fitted.map((each) => each * ridge);
    const curvature = Array.from({ length: size }, (_, at) => {
      const row = new Float64Array(size);
      row[at] = ridge;
      return row;
    });
    for (const [index, row] of rows.entries()) {
      const likely = 1 / (1 + Math.exp(-dot(row, fitted)));
      const share = (weight[index] ?? 0) / total;
      const error = share * (likely - (isMatch[index] ? 1 : 0));
      const spread = share * likely * (1 - likely);
      for (let at = 0; at < size; at++) {
        const value = row[at] ?? 0;
        if (value === 0) continue;
        gradient[at] = (gradient[at] ?? 0) + error * value;
        const line = curvature[at];
        if (line) for (let to = 0; to <= at; to++) line[to] = (line[to] ?? 0) + spread * value * (row[to] ?? 0);
      }
    }
    const move = solve(curvature, gradient);
    for (let at = 0; at < size; at++) fitted[at] = (fitted[at] ?? 0) - (move[at] ?? 0);
  }
  return fitted;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}

/** Solves for a symmetric positive matrix of which the lower half is given, by Cholesky's method. */
function solve(lower: readonly Float64Array[], right: Float64Array): Float64Array {
  const size = right.length;
  const root = lower.map((line) => line.slice());
  const at = (row: number, column: number) => root[row]?.[column] ?? 0;
  for (let column = 0; column < size; column++)
    for (let row = column; row < size; row++) {
      let rest = at(row, column);
      for (let done = 0; done < column; done++) rest -= at(row, done) * at(column, done);
      const line = root[row];
      if (line) line[column] = row === column ? Math.sqrt(Math.max(rest, 1e-12)) : rest / at(column, column);
    }
  const found = right.slice();
  for (let row = 0; row < size; row++) {
    for (let done = 0; done < row; done++) found[row] = (found[row] ?? 0) - at(row, done) * (found[done] ?? 0);
    found[row] = (found[row] ?? 0) / at(row, row);
  }
  for (let row = size - 1; row >= 0; row--) {
    for (let done = row + 1; done < size; done++) found[row] = (found[row] ?? 0) - at(done, row) * (found[done] ?? 0);
    found[row] = (found[row] ?? 0) / at(row, row);
  }
  return found;
}
