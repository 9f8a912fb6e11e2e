// Load a policy file, NAME.onnx with NAME.meta.json, in any JavaScript package of onnxruntime.

const TIE = 1e-4; // kododo_env.core.agent.TIE

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const product = (numbers) => numbers.reduce((a, b) => a * b, 1);

// `ort` is onnxruntime-node or onnxruntime-web, `model` the bytes of NAME.onnx.
export async function loadPolicy(ort, model, metadata) {
  const session = await ort.InferenceSession.create(model);
  const numbers = sum(metadata.pieces.map(([, shape]) => product(shape)));
  const wide = metadata.pieces.some(([, , maximum]) => maximum > 255);

  // Return logits (N arrays) and values (null if the policy has none) of N observations and masks.
  async function evaluate(observations, masks) {
    const rows = observations.flat();
    const { logits, value } = await session.run({
      observation: wide
        ? new ort.Tensor("uint16", Uint16Array.from(rows), [observations.length, numbers])
        : new ort.Tensor("uint8", Uint8Array.from(rows), [observations.length, numbers]),
      action_mask: new ort.Tensor("int8", Int8Array.from(masks.flat()), [
        masks.length,
        metadata.actions.length,
      ]),
    });
    return { logits: rowsOf(logits), values: value ? [...value.data] : null };
  }

  // Return the actions at temperature 0: the first action whose logit is within TIE of the
  // largest, because the last bits of a logit depend on the processor.
  async function act(observations, masks) {
    const { logits } = await evaluate(observations, masks);
    return logits.map((row) => row.findIndex((logit) => logit >= Math.max(...row) - TIE));
  }

  return { metadata, evaluate, act };
}

function rowsOf({ data, dims: [count, width] }) {
  return Array.from({ length: count }, (_, row) => [
    ...data.slice(row * width, (row + 1) * width),
  ]);
}
