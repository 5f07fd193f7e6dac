// Stripe's card fields on the store's page. The form is sent when Stripe has what it needs; the store then asks Stripe.
(() => {
  const form = document.querySelector("form[data-stripe]");
  if (!form) return;
  const { stripe: task, key, secret, method, language, unreachable, declined } = form.dataset;
  const place = document.getElementById("stripe-card");
  const message = document.getElementById("stripe-error");
  const approve = form.querySelector("button[value=approve]");

  const show = (text) => {
    message.querySelector("span").textContent = text;
    message.hidden = !text;
    approve.disabled = false;
    form.removeAttribute("aria-busy");
  };
  if (typeof Stripe !== "function") return show(unreachable);

  const stripe = Stripe(key, { locale: language });
  let card;
  if (place) {
    const style = getComputedStyle(place);
    card = stripe.elements().create("card", {
      hidePostalCode: true,
      style: { base: { color: style.color, fontSize: style.fontSize, iconColor: style.color } },
    });
    card.mount(place);
    card.on("change", (event) => show(event.error ? event.error.message : ""));
  }

  form.addEventListener("submit", async (event) => {
    if (event.submitter && event.submitter.value !== "approve") return;
    event.preventDefault();
    show("");
    approve.disabled = true;
    form.setAttribute("aria-busy", "true");
    // Without data the payment goes on with the method that it has.
    const data = card ? { payment_method: { card } } : method ? { payment_method: method } : undefined;
    let result;
    try {
      result = task === "setup" ? await stripe.confirmCardSetup(secret, data) : await stripe.confirmCardPayment(secret, data);
    } catch {
      return show(unreachable);
    }
    // It was confirmed before, and the answer was lost, or its order is over: the store asks what became of it.
    const known = result.error && (result.error.payment_intent || result.error.setup_intent);
    if (known && ["succeeded", "processing", "canceled"].includes(known.status)) result = {};
    // What was typed wrong is named in Stripe's words; why a bank refuses is not told.
    if (result.error) return show(result.error.type === "validation_error" ? result.error.message : declined);
    const answer = document.createElement("input");
    Object.assign(answer, { type: "hidden", name: "answer", value: "approve" });
    form.append(answer);
    form.submit();
  });
})();
