/** Rows of terms with what they stand for and how much each row counts. */
export type Examples = { rows: Float64Array[]; isMatch: boolean[]; weight: number[] };

const STEPS = 10;

/** The weights of a logistic regression with a ridge, by Newton's method; the same for the same examples. */
export function fitLogistic({ rows, isMatch, weight }: Examples, ridge: number): Float64Array {
  const size = rows[0]?.length ?? 0;
  const total = weight.reduce((sum, each) => sum + each, 0) || 1;
  const fitted = new Float64Array(size);
  const sparse = rows.map(withoutZeros);
  for (let step = 0; step < STEPS; step++) {
    const gradient = fitted.map((each) => each * ridge);
    const curvature = Array.from({ length: size }, (_, at) => {
      const row = new Float64Array(size);
      row[at] = ridge;
      return row;
    });
    for (const [index, { at, value }] of sparse.entries()) {
      let sum = 0;
      for (let k = 0; k < at.length; k++) sum += (value[k] ?? 0) * (fitted[at[k] ?? 0] ?? 0);
      const likely = 1 / (1 + Math.exp(-sum));
      const share = (weight[index] ?? 0) / total;
      const error = share * (likely - (isMatch[index] ? 1 : 0));
      const spread = share * likely * (1 - likely);
      for (let k = 0; k < at.length; k++) {
        const [place, own] = [at[k] ?? 0, value[k] ?? 0];
        gradient[place] = (gradient[place] ?? 0) + error * own;
        const line = curvature[place];
        if (line)
          for (let l = 0; l <= k; l++) line[at[l] ?? 0] = (line[at[l] ?? 0] ?? 0) + spread * own * (value[l] ?? 0);
      }
    }
    const move = solve(curvature, gradient);
    for (let at = 0; at < size; at++) fitted[at] = (fitted[at] ?? 0) - (move[at] ?? 0);
  }
  return fitted;
}

function withoutZeros(row: Float64Array): { at: Uint16Array; value: Float64Array } {
  const at = Uint16Array.from(row.keys().filter((place) => row[place] !== 0));
  return { at, value: Float64Array.from(at, (place) => row[place] ?? 0) };
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
