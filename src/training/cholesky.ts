/** Smallest pivot: a matrix that is not positive definite by rounding only is solved all the same. */
const LEAST_PIVOT = 1e-12;

/**
 * Solves A x = y for a symmetric, positive definite A of `size` rows. Reads only the lower triangle of `matrix`, which
 * is in rows and is overwritten with the factor; answers x.
 */
export function solve(matrix: Float64Array, y: Float64Array): Float64Array {
  const size = y.length;
  factorise(matrix, size);
  const x = Float64Array.from(y);
  for (let row = 0; row < size; row++) {
    let sum = x[row] as number;
    for (let at = 0; at < row; at++) sum -= (matrix[row * size + at] as number) * (x[at] as number);
    x[row] = sum / (matrix[row * size + row] as number);
  }
  for (let row = size - 1; row >= 0; row--) {
    let sum = x[row] as number;
    for (let at = row + 1; at < size; at++) sum -= (matrix[at * size + row] as number) * (x[at] as number);
    x[row] = sum / (matrix[row * size + row] as number);
  }
  return x;
}

function factorise(matrix: Float64Array, size: number): void {
  for (let row = 0; row < size; row++) {
    for (let column = 0; column <= row; column++) {
      let sum = matrix[row * size + column] as number;
      for (let at = 0; at < column; at++) {
        sum -= (matrix[row * size + at] as number) * (matrix[column * size + at] as number);
      }
      matrix[row * size + column] =
        row === column ? Math.sqrt(Math.max(sum, LEAST_PIVOT)) : sum / (matrix[column * size + column] as number);
    }
  }
}
